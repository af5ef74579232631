// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp;

import dev.writ.daemon.sandbox.KeptSandbox;
import dev.writ.daemon.sandbox.Sandboxes;
import dev.writ.runtime.SessionNames;
import dev.writ.runtime.approval.Inbox;
import dev.writ.runtime.record.Installation;
import io.modelcontextprotocol.server.McpAsyncServerExchange;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Those of all clients, by the ids of their sessions.
final class Seats {
    /// How long a question waits.
    static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final Duration FOR_EVER = Duration.ofDays(10_000);

    private final Settings settings;
    private final Inbox inbox = new Inbox(Inbox.Bounds.DEFAULT, InstantSource.system());
    private final Installation installation;
    private final Sandboxes sandboxes;
    private final Map<String, Seat> all = new ConcurrentHashMap<>();
    private final Set<String> over = new HashSet<>(); // guarded by this

    Seats(Settings settings) {
        this.settings = settings;
        this.installation = new Installation(Path.of(settings.state().toString()));
        this.sandboxes =
                new Sandboxes(
                        settings.writ().apply(inbox),
                        inbox,
                        settings.state(),
                        installation,
                        settings.version(),
                        InstantSource.system());
    }

    Inbox inbox() {
        return inbox;
    }

    Collection<Seat> all() {
        return all.values();
    }

    /// The seat of whoever calls; a new one for who has none.
    synchronized Seat of(McpAsyncServerExchange exchange) {
        if (over.contains(exchange.sessionId())) {
            throw new IllegalStateException("the session is over");
        }
        var known = all.get(exchange.sessionId());
        if (known != null) {
            return known;
        }
        String client = Seat.name(exchange);
        boolean asks = Seat.canAsk(exchange);
        var ask =
                new KeptSandbox.Ask(
                        settings.workspace(),
                        settings.source(),
                        settings.about(),
                        Map.of("principal", "the MCP client " + client),
                        asks ? PATIENCE : Duration.ZERO,
                        "nobody could be asked, because the client does not offer elicitation",
                        FOR_EVER,
                        Optional.empty());
        var seat = new Seat(open(ask), client);
        all.put(exchange.sessionId(), seat);
        return seat;
    }

    private KeptSandbox open(KeptSandbox.Ask ask) {
        return settings.token()
                .map(token -> sandboxes.open(token.apply(SessionNames.next()), ask))
                .orElseGet(() -> sandboxes.open(settings.policy(), ask, ""));
    }

    /// The client has gone: everything that it had started ends.
    void end(String id) {
        Seat seat;
        synchronized (this) {
            over.add(id); // a call that is late must not open another one
            seat = all.remove(id);
        }
        if (seat != null) {
            sandboxes.end(seat.sandbox());
        }
    }

    /// Ends everything.
    ///
    /// @return what the operator has to know
    List<String> finish() {
        all.clear();
        sandboxes.close();
        return installation.finishOthers(settings.version());
    }
}
