// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.policy.Passage;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// Connections that are about to come, by where they come from. Each is good for one, and not for
/// long: the port may belong to another program soon.
final class Announcements {
    private static final Duration TERM = Duration.ofSeconds(30);
    private static final int MOST = 4096;

    private final Map<InetSocketAddress, Announced> waiting = new ConcurrentHashMap<>();

    record Announced(Destination destination, Passage passage, long until) {}

    /// If too many wait, this one is not expected, and will be sent away.
    void expect(InetSocketAddress from, Destination destination, Passage passage) {
        long now = System.nanoTime();
        if (waiting.size() >= MOST) {
            waiting.values().removeIf(a -> a.until() - now < 0);
        }
        if (waiting.size() < MOST) {
            waiting.put(from, new Announced(destination, passage, now + TERM.toNanos()));
        }
    }

    void forget(InetSocketAddress from) {
        waiting.remove(from);
    }

    /// The announcement of the connection that has come from `from`.
    Optional<Announced> take(InetSocketAddress from) {
        return Optional.ofNullable(waiting.remove(from))
                .filter(a -> a.until() - System.nanoTime() >= 0);
    }
}
