// SPDX-License-Identifier: Apache-2.0

/// The server: one local API in front of the runtime.
@SuppressWarnings("module") // some go to whom this does not know
module dev.writ.daemon {
    requires transitive dev.writ.runtime;
    requires dev.writ.backends;
    requires jdk.net; // who is at the other end of a socket
    requires static transitive org.jspecify;

    exports dev.writ.daemon;
    exports dev.writ.daemon.client;
    exports dev.writ.daemon.hook;
    exports dev.writ.daemon.api to
            dev.writ.mcp;
    exports dev.writ.daemon.http to
            dev.writ.mcp;
    exports dev.writ.daemon.sandbox to
            dev.writ.mcp;
}
