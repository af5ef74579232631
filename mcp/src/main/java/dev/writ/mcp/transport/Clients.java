// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp.transport;

import io.modelcontextprotocol.spec.McpStreamableServerSession;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// All who speak HTTP, by the ids of their sessions. Who has said nothing for long is forgotten.
final class Clients implements AutoCloseable {
    private static final int MOST = 64;
    private static final Duration IDLE = Duration.ofMinutes(30);

    private final Consumer<String> gone;
    private final Map<String, Client> all = new ConcurrentHashMap<>();
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().daemon().name("writ-mcp-timer").factory());

    Clients(Consumer<String> gone) {
        this.gone = gone;
        var _ = timer.scheduleWithFixedDelay(this::removeIdle, 1, 1, TimeUnit.MINUTES);
    }

    /// False if there are too many.
    synchronized boolean add(McpStreamableServerSession session) {
        if (all.size() >= MOST) {
            return false;
        }
        all.put(session.getId(), new Client(session));
        return true;
    }

    Optional<Client> find(String id) {
        var client = Optional.ofNullable(all.get(id));
        client.ifPresent(Client::touch);
        return client;
    }

    Collection<Client> all() {
        return all.values();
    }

    void end(Client client) {
        if (all.remove(client.session().getId(), client)) {
            client.requests().cancelAll();
            client.session().close();
            gone.accept(client.session().getId());
        }
    }

    private void removeIdle() {
        for (var client : all.values()) {
            if (client.isIdleFor(IDLE.toNanos())) {
                end(client);
            }
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
        List.copyOf(all.values()).forEach(this::end);
    }
}
