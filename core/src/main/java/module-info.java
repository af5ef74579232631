// SPDX-License-Identifier: Apache-2.0

/// What an agent may do, as values and pure functions; the one door every action passes.
module dev.writ.core {
    requires static transitive org.jspecify;

    exports dev.writ.core.audit;
    exports dev.writ.core.broker;
    exports dev.writ.core.capability;
    exports dev.writ.core.digest;
    exports dev.writ.core.file;
    exports dev.writ.core.json;
    exports dev.writ.core.pattern;
    exports dev.writ.core.policy;
    exports dev.writ.core.sandbox;
}
