// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.token;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/// Remembers what was used, until it would have expired anyway. If there is no room left, nothing
/// more is let through.
public final class Nonces {
    private static final int MOST = 100_000;

    private final Map<String, Instant> used = new HashMap<>();

    public Nonces() {}

    /// Whether this is its first use.
    public synchronized boolean use(String nonce, Instant expires, Instant now) {
        if (used.size() >= MOST) {
            used.values().removeIf(e -> !now.isBefore(e.plus(GrantBlock.SKEW)));
        }
        return used.size() < MOST && used.putIfAbsent(nonce, expires) == null;
    }
}
