// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/// How much of its bounds a session uses.
final class Usage {
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final Bounds bounds;
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private double requests; // that may still be made now; guarded by this
    private long refilled = System.nanoTime(); // guarded by this

    Usage(Bounds bounds) {
        this.bounds = bounds;
        this.requests = bounds.requestsPerMinute();
    }

    /// Whether there is room for one more connection; if so it is taken.
    boolean connect() {
        if (connections.incrementAndGet() <= bounds.connections()) {
            return true;
        }
        connections.decrementAndGet();
        return false;
    }

    void disconnect() {
        connections.decrementAndGet();
    }

    /// Whether one more request may be made now; if so it counts.
    synchronized boolean request() {
        int most = bounds.requestsPerMinute();
        if (most == 0) {
            return true;
        }
        long now = System.nanoTime();
        requests = Math.min(most, requests + (double) (now - refilled) * most / MINUTE);
        refilled = now;
        if (requests < 1) {
            return false;
        }
        requests--;
        return true;
    }

    /// Whether so many more bytes may pass.
    boolean pass(long more) {
        return bounds.bytes() == 0 || bytes.addAndGet(more) <= bounds.bytes();
    }
}
