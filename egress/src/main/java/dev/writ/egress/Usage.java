// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/// How much of its bounds a session uses.
final class Usage {
    /// Of all bodies together that are read to their end before they are sent.
    static final int MOST_HELD = 32 * 1024 * 1024;

    /// Of parts of bodies that wait in streams of HTTP/2. Windows count bytes, of which there may
    /// be one in each.
    static final int MOST_PARTS = 128 * 1024;

    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final Bounds bounds;
    private final Reached reached;
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicLong held = new AtomicLong();
    private final AtomicInteger parts = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final Map<Destination, Account> accounts = new ConcurrentHashMap<>();
    private double requests; // that may still be made now; guarded by this
    private long refilled = System.nanoTime(); // guarded by this

    /// Hears, once for each destination, that no more may pass.
    interface Reached {
        void reached(Destination to, String why);
    }

    Usage(Bounds bounds, Reached reached) {
        this.bounds = bounds;
        this.reached = reached;
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

    /// Whether so many more bytes of bodies may be kept in memory; if so they are, until they are
    /// [#release]d.
    boolean hold(int more) {
        if (held.addAndGet(more) <= MOST_HELD) {
            return true;
        }
        held.addAndGet(-more);
        return false;
    }

    void release(int bytes) {
        held.addAndGet(-bytes);
    }

    /// Whether one more part of a body may wait in a stream; if so it does, until it is taken.
    boolean mayWait() {
        if (parts.incrementAndGet() <= MOST_PARTS) {
            return true;
        }
        parts.decrementAndGet();
        return false;
    }

    void taken(int count) {
        parts.addAndGet(-count);
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

    /// Where the bytes between the session and `to` are counted.
    Account account(Destination to) {
        return bounds.bytes() == 0 && bounds.bytesPerDestination() == 0
                ? new Account(to)
                : accounts.computeIfAbsent(to, Account::new);
    }

    /// The bytes that went to one destination and came back.
    final class Account {
        private final Destination to;
        private final AtomicLong own = new AtomicLong();
        private final AtomicBoolean said = new AtomicBoolean();

        private Account(Destination to) {
            this.to = to;
        }

        /// Whether so many more bytes may pass.
        boolean pass(long more) {
            boolean inAll = isWithin(bounds.bytes(), bytes, more);
            boolean may = isWithin(bounds.bytesPerDestination(), own, more) && inAll;
            if (!may && !said.getAndSet(true)) {
                reached.reached(to, reason());
            }
            return may;
        }

        private static boolean isWithin(long most, AtomicLong used, long more) {
            return most == 0 || used.addAndGet(more) <= most;
        }

        /// Whether nothing more may pass.
        boolean isUsedUp() {
            return isUsedUp(bounds.bytes(), bytes) || isUsedUp(bounds.bytesPerDestination(), own);
        }

        private static boolean isUsedUp(long most, AtomicLong used) {
            return most != 0 && used.get() >= most;
        }

        String reason() {
            return isUsedUp(bounds.bytes(), bytes)
                    ? "the session has exchanged the " + bounds.bytes() + " bytes that it may"
                    : "the session has exchanged the "
                            + bounds.bytesPerDestination()
                            + " bytes with "
                            + to
                            + " that it may";
        }
    }
}
