// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp.transport;

import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// The requests of one client that have not been answered yet, by their ids.
final class Requests {
    private static final int MOST = 256;

    private final Map<Object, Ongoing> all = new ConcurrentHashMap<>();

    /// Takes one in; empty if there are too many, or one of that id.
    Optional<Ongoing> begin(Object id) {
        var ongoing = new Ongoing();
        return all.size() < MOST && all.putIfAbsent(id, ongoing) == null
                ? Optional.of(ongoing)
                : Optional.empty();
    }

    /// It is answered. Whether somebody still wants to hear that.
    boolean end(Object id) {
        var ongoing = all.remove(id);
        return ongoing == null || !ongoing.isCancelled();
    }

    /// Ends the one that `notification` names; false if it is about something else.
    boolean cancel(JSONRPCNotification notification) {
        var id = Incoming.cancelled(notification);
        id.map(all::get).ifPresent(Ongoing::cancel);
        return id.isPresent();
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /// The client has gone.
    void cancelAll() {
        all.values().forEach(Ongoing::cancel);
    }
}
