// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp;

import dev.writ.core.capability.Text;
import dev.writ.daemon.sandbox.KeptSandbox;
import io.modelcontextprotocol.server.McpAsyncServerExchange;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;

/// What one client has: a session of its own, and the calls that it waits for.
final class Seat {
    private static final int MOST_NAME = 64;

    private final KeptSandbox sandbox;
    private final String client;
    private final Deque<McpAsyncServerExchange> calls = new ConcurrentLinkedDeque<>();

    Seat(KeptSandbox sandbox, String client) {
        this.sandbox = sandbox;
        this.client = client;
    }

    /// What a client calls itself, on one line.
    static String name(McpAsyncServerExchange exchange) {
        var info = exchange.getClientInfo();
        String name = info == null ? "unknown" : Text.shown(String.valueOf(info.name()));
        return name.substring(0, Math.min(name.length(), MOST_NAME));
    }

    /// Whether the client says that it can put a question to a person.
    static boolean canAsk(McpAsyncServerExchange exchange) {
        var capabilities = exchange.getClientCapabilities();
        var asking = capabilities == null ? null : capabilities.elicitation();
        return asking != null && (asking.form() != null || asking.url() == null);
    }

    KeptSandbox sandbox() {
        return sandbox;
    }

    String client() {
        return client;
    }

    void begin(McpAsyncServerExchange call) {
        calls.addLast(call);
    }

    void end(McpAsyncServerExchange call) {
        calls.remove(call);
    }

    /// A way to the client: a call that it waits for.
    Optional<McpAsyncServerExchange> anyCall() {
        return Optional.ofNullable(calls.peekLast());
    }
}
