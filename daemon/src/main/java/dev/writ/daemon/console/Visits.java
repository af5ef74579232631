// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.console;

import dev.writ.core.digest.Sha256;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/// Who may look at the console. A link is good once and soon over; it is exchanged for a visit,
/// which lasts. Both are known by their digests only, so that to compare them tells nothing.
final class Visits {
    static final Duration LINK = Duration.ofMinutes(2);
    static final Duration VISIT = Duration.ofHours(12);
    private static final int MOST = 32;

    private final LongSupplier nanoseconds;
    private final SecureRandom random = new SecureRandom();

    // Both guarded by this: when each is over.
    private final Map<String, Long> links = new LinkedHashMap<>();
    private final Map<String, Long> visits = new LinkedHashMap<>();

    /// @param nanoseconds a clock that nobody can set
    Visits(LongSupplier nanoseconds) {
        this.nanoseconds = nanoseconds;
    }

    /// A secret that is good for one visit.
    synchronized String link() {
        return add(links, LINK);
    }

    /// What to show from now on; empty if `link` is none, was used, or is over.
    synchronized Optional<String> exchange(String link) {
        var end = links.remove(Sha256.hex(link));
        return end == null || isOver(end) ? Optional.empty() : Optional.of(add(visits, VISIT));
    }

    synchronized boolean isGood(String visit) {
        var end = visits.get(Sha256.hex(visit));
        return end != null && !isOver(end);
    }

    synchronized void end(String visit) {
        visits.remove(Sha256.hex(visit));
    }

    private String add(Map<String, Long> some, Duration life) {
        some.values().removeIf(this::isOver);
        if (some.size() >= MOST) {
            some.remove(some.keySet().iterator().next()); // the oldest makes room
        }
        byte[] bytes = new byte[32];
        random.nextBytes(bytes);
        String secret = HexFormat.of().formatHex(bytes);
        some.put(Sha256.hex(secret), nanoseconds.getAsLong() + life.toNanos());
        return secret;
    }

    private boolean isOver(long end) {
        return nanoseconds.getAsLong() - end >= 0;
    }
}
