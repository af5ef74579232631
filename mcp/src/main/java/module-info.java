// SPDX-License-Identifier: Apache-2.0

/// An MCP server whose tools run under the broker.
module dev.writ.mcp {
    requires transitive dev.writ.runtime;
    requires dev.writ.daemon;
    requires dev.writ.egress;
    requires io.modelcontextprotocol.sdk.mcp.core;
    requires io.modelcontextprotocol.sdk.mcp.json.jackson3;
    requires java.net.http;
    requires org.reactivestreams;
    requires reactor.core;
    requires tools.jackson.core;
    requires tools.jackson.databind;
    requires static transitive org.jspecify;

    exports dev.writ.mcp;
}
