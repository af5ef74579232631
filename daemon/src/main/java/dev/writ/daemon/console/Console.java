// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.console;

import dev.writ.daemon.http.Handler;
import dev.writ.daemon.http.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The console: a port of this machine, opened when somebody first wants to look, and links to it
/// that are good once.
public final class Console implements AutoCloseable {
    /// What its page may ask for. It shows and answers; it starts, changes and ends nothing.
    public static final Set<String> OPERATIONS =
            Set.of(
                    "GET /v1/info",
                    "GET /v1/events",
                    "GET /v1/sandboxes",
                    "GET /v1/sandboxes/{id}/policy",
                    "GET /v1/approvals",
                    "POST /v1/approvals/{id}",
                    "GET /v1/log",
                    "POST /v1/decide",
                    "POST /v1/tokens/show");

    private final Visits visits;
    private final Handler handler;

    // Both guarded by this; there from the first link on.
    private @Nullable HttpServer server;
    private @Nullable ConsoleDoor door;

    /// @param api answers [#OPERATIONS] and nothing else
    /// @param rights header fields that the console has and no page gets to see
    /// @param nanoseconds a clock that nobody can set
    public Console(Handler api, Map<String, String> rights, LongSupplier nanoseconds) {
        this.visits = new Visits(nanoseconds);
        this.handler = new ConsoleHandler(api, visits, rights);
    }

    /// A link to it that is good once, and not for long. What is secret in it stands after `#`: it
    /// stays in the browser, and is in no request, log or referrer.
    public synchronized String link() throws IOException {
        if (door == null) {
            door = open();
        }
        return door.origin() + "/#" + visits.link();
    }

    private ConsoleDoor open() throws IOException {
        var listener = ServerSocketChannel.open();
        try {
            listener.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), 64);
            int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
            var made = new ConsoleDoor(visits, port);
            server = new HttpServer(handler);
            server.open(listener, made);
            return made;
        } catch (IOException | RuntimeException e) {
            listener.close();
            throw e;
        }
    }

    @Override
    public synchronized void close() {
        if (server != null) {
            server.close();
        }
    }
}
