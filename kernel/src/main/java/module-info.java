// SPDX-License-Identifier: Apache-2.0

/// System calls, one class per facility. Knows nothing of policy.
module dev.writ.kernel {
    requires static transitive org.jspecify;

    exports dev.writ.kernel;
}
