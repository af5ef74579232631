// SPDX-License-Identifier: Apache-2.0

/// Ways to confine a process, one package each.
module dev.writ.backends {
    requires transitive dev.writ.core;
    requires dev.writ.kernel;
    requires static transitive org.jspecify;

    exports dev.writ.backends.process;
}
