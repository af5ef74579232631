// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.sandbox;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.AuditLog;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/// The latest events of all sandboxes, for whoever watches. The whole record is in the logs.
///
/// Events come from threads that act for a sandbox, which have given up rights. To wake up a
/// virtual thread can start a carrier, which would inherit that and keep it for good. So they only
/// wake up one thread of the daemon's own, and that one tells the rest.
public final class Events implements AuditLog, AutoCloseable {
    private static final int MOST = 10_000;
    private static final int MOST_WAITING = 100_000;

    private final ConcurrentLinkedQueue<AuditEvent> fresh = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<Numbered> latest = new ArrayDeque<>();
    private final Consumer<AuditEvent> listener;
    private final Thread thread =
            Thread.ofPlatform().daemon().name("writ-events").unstarted(this::tell);
    private long next = 1;
    private volatile boolean closed;

    /// @param number they are counted from 1 since the daemon started
    public record Numbered(long number, AuditEvent event) {}

    /// @param listener hears every event on the thread of this
    Events(Consumer<AuditEvent> listener) {
        this.listener = listener;
    }

    void start() {
        thread.start();
    }

    @Override
    public void append(AuditEvent event) {
        if (waiting.incrementAndGet() > MOST_WAITING) {
            waiting.decrementAndGet(); // nobody can watch that fast; the record has it
            return;
        }
        fresh.add(event);
        LockSupport.unpark(thread);
    }

    private void tell() {
        while (!closed) {
            for (var event = fresh.poll(); event != null; event = fresh.poll()) {
                waiting.decrementAndGet();
                listener.accept(event);
                keep(event);
            }
            if (fresh.isEmpty()) {
                LockSupport.park(this);
            }
        }
    }

    private void keep(AuditEvent event) {
        lock.lock();
        try {
            latest.addLast(new Numbered(next++, event));
            if (latest.size() > MOST) {
                latest.removeFirst();
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Those after `after` that are still known, at most `most`. Waits for one, but not longer than
    /// so many nanoseconds.
    public List<Numbered> after(long after, long nanoseconds, int most)
            throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = nanoseconds;
            while (next <= after + 1 && !closed && left > 0) {
                left = changed.awaitNanos(left);
            }
            var found = new ArrayList<Numbered>();
            for (var event : latest) {
                if (event.number() > after && found.size() < most) {
                    found.add(event);
                }
            }
            return found;
        } finally {
            lock.unlock();
        }
    }

    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
