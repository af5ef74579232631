// SPDX-License-Identifier: Apache-2.0

/// Puts the parts together: what a host application embeds and the command line runs.
module dev.writ.runtime {
    requires transitive dev.writ.core;
    requires transitive dev.writ.trust;
    requires dev.writ.backends;
    requires transitive dev.writ.egress;
    requires dev.writ.kernel;
    requires org.snakeyaml.engine;
    requires re2j;
    requires static transitive org.jspecify;

    exports dev.writ.runtime;
    exports dev.writ.runtime.approval;
    exports dev.writ.runtime.files;
    exports dev.writ.runtime.policy;
    exports dev.writ.runtime.record;
}
