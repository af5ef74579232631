// SPDX-License-Identifier: Apache-2.0

/// The only way out of a sandbox: names, connections, requests, secrets.
module dev.writ.egress {
    requires transitive dev.writ.core;
    requires io.netty.buffer;
    requires io.netty.codec;
    requires io.netty.codec.http;
    requires io.netty.codec.http2;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.transport;
    requires static transitive org.jspecify;

    exports dev.writ.egress;
    exports dev.writ.egress.secret;
}
