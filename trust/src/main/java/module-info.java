// SPDX-License-Identifier: Apache-2.0

/// The record: keys, logs that others can verify, attestations.
module dev.writ.trust {
    requires org.bouncycastle.provider;
    requires re2j;
    requires dev.writ.kernel;
    requires transitive dev.writ.core;
    requires static transitive org.jspecify;

    exports dev.writ.trust;
    exports dev.writ.trust.attest;
    exports dev.writ.trust.biscuit;
    exports dev.writ.trust.event;
    exports dev.writ.trust.export;
    exports dev.writ.trust.file;
    exports dev.writ.trust.key;
    exports dev.writ.trust.log;
    exports dev.writ.trust.token;
}
