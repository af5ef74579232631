// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp;

import dev.writ.daemon.http.HttpServer;
import dev.writ.daemon.http.TcpDoor;
import dev.writ.mcp.transport.HttpTransport;
import io.modelcontextprotocol.server.McpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.List;

/// A server on a port of this machine, for whoever knows the token.
public final class PortServer {
    private static final int BACKLOG = 64;

    private final Server server;
    private final HttpTransport transport;
    private final HttpServer http;
    private final Path tokenFile;
    private final int port;

    private PortServer(Settings settings, int port) throws IOException {
        var state = Path.of(settings.state().toString());
        tokenFile = state.resolve("mcp-token");
        String token = TokenFile.read(state, tokenFile);
        var listener = ServerSocketChannel.open();
        listener.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port), BACKLOG);
        this.port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
        server = new Server(settings);
        transport = new HttpTransport(server.seats()::end);
        server.fit(McpServer.async(transport));
        http = new HttpServer(transport);
        http.open(listener, new TcpDoor(token, "it is in " + tokenFile, this.port, true));
    }

    /// @param port 0 for any
    public static PortServer open(Settings settings, int port) throws IOException {
        return new PortServer(settings, port);
    }

    public String url() {
        return "http://127.0.0.1:" + port + HttpTransport.PATH;
    }

    public Path tokenFile() {
        return tokenFile;
    }

    /// Ends everything.
    ///
    /// @return what the operator has to know
    public List<String> end() {
        http.close();
        transport.close();
        return server.finish();
    }
}
