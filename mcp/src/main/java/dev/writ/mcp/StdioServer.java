// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp;

import dev.writ.mcp.transport.StdioTransport;
import io.modelcontextprotocol.server.McpServer;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;

/// A server for one client, which has started it. It ends when the client closes the stream.
public final class StdioServer {
    private final Server server;
    private final StdioTransport transport;

    public StdioServer(Settings settings, InputStream in, OutputStream out) {
        this.server = new Server(settings);
        this.transport = new StdioTransport(in, out);
        server.fit(McpServer.async(transport));
    }

    /// Answers until the client has gone, or [#end]; then ends everything that it has started.
    ///
    /// @return what the operator has to know
    public List<String> serve() throws InterruptedException {
        try {
            transport.serve();
        } finally {
            end();
        }
        return server.finish();
    }

    public void end() {
        transport.end();
    }
}
