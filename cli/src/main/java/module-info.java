// SPDX-License-Identifier: Apache-2.0

/// The command line.
module dev.writ.cli {
    requires dev.writ.backends;
    requires dev.writ.conformance;
    requires dev.writ.daemon;
    requires dev.writ.kernel;
    requires dev.writ.mcp;
    requires dev.writ.runtime;
    requires java.net.http; // AnchorPlace
    requires jdk.unsupported; // Signals
    requires static transitive org.jspecify;
}
