// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.record;

import dev.writ.core.audit.AuditEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Events of a session that nobody waits for. To put one into words takes longer than to judge it,
/// most of all in a JVM that has just started, so a thread of its own does that for all sessions.
final class Backlog {
    /// So many may wait; whoever adds one more writes them.
    private static final int MOST = 1024;

    /// How long the thread rests, so that it need not be woken for each event.
    private static final long REST = 500_000; // nanoseconds

    private static final BlockingQueue<Backlog> DUE = new LinkedBlockingQueue<>();

    static {
        Thread.ofPlatform().name("writ-scribe").daemon().start(Backlog::writeForAll);
    }

    private final Consumer<List<AuditEvent>> writer;

    /// Held by whoever writes: events are written in the order in which they were added.
    private final Object turn = new Object();

    // All guarded by this.
    private boolean closed;
    private List<AuditEvent> waiting = new ArrayList<>();
    private @Nullable Throwable failure;

    /// The first is to be made by a thread with all its rights: another one is started then.
    Backlog(Consumer<List<AuditEvent>> writer) {
        this.writer = writer;
    }

    /// @throws RecordException if earlier ones could not be written, or it is closed
    void add(AuditEvent event) {
        int size;
        synchronized (this) {
            refuseBroken();
            if (closed) {
                throw new RecordException(
                        "nothing more can be recorded", new IllegalStateException("it is over"));
            }
            waiting.add(event);
            size = waiting.size();
        }
        if (size == 1) {
            DUE.add(this);
        } else if (size >= MOST) {
            write();
        }
    }

    /// Returns when all that were added before are written.
    ///
    /// @throws RecordException if they cannot be
    void write() {
        synchronized (turn) {
            List<AuditEvent> some;
            synchronized (this) {
                refuseBroken();
                some = waiting;
                if (some.isEmpty()) {
                    return;
                }
                waiting = new ArrayList<>();
            }
            try {
                writer.accept(some);
            } catch (RuntimeException | Error e) {
                fail(e);
            }
        }
    }

    /// Writes what waits, and takes no more.
    void close() {
        synchronized (this) {
            closed = true;
        }
        write();
    }

    private synchronized void fail(Throwable why) {
        failure = why;
        refuseBroken();
    }

    private synchronized void refuseBroken() {
        if (failure != null) {
            throw new RecordException("the record cannot be written", failure);
        }
    }

    private static void writeForAll() {
        while (true) {
            try {
                DUE.take().write();
            } catch (InterruptedException | RecordException e) {
                // Whoever adds to it next is told.
            }
            LockSupport.parkNanos(REST);
        }
    }
}
