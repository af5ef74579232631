// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.audit.SessionId;
import dev.writ.core.broker.Broker;
import dev.writ.core.capability.Limit;
import dev.writ.core.capability.Limit.Resource;
import dev.writ.core.sandbox.ReachedLimit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Which limits a sandbox came up against, of its own and of its session. May be used from any
/// thread.
final class Usage {
    /// What a new name counts for on a disk, however little is in the file.
    static final long NEW_FILE = 4096;

    private static final int TIME_IS_OVER = 124;
    private static final int KILLED = 128 + 9;

    final Bounds bounds;
    final Account account;
    private final SessionId session;
    private final Broker broker;
    private final Map<Resource, Long> times = new EnumMap<>(Resource.class); // guarded by this
    private Runnable stop = () -> {}; // guarded by this
    private @Nullable Resource fatal; // guarded by this

    Usage(Bounds bounds, Account account, SessionId session, Broker broker) {
        this.bounds = bounds;
        this.account = account;
        this.session = session;
        this.broker = broker;
    }

    /// What ends everything in the sandbox.
    synchronized void whenOver(Runnable action) {
        stop = action;
        if (fatal != null) {
            action.run();
        }
    }

    /// There is no more of `resource`: everything ends.
    synchronized void end(Resource resource) {
        if (fatal == null) {
            fatal = resource;
            times.put(resource, 1L);
            // ORDER: it does not wait for the record. Whoever waits for the end does.
            stop.run();
            write(resource, 1);
        }
    }

    /// The session has no more of `resource`.
    private void spent(Resource resource) {
        end(resource);
        account.end(resource);
    }

    /// Whether everything in it is being ended.
    synchronized boolean isOver() {
        return fatal != null;
    }

    /// There was no more of `resource` for one call, which has failed.
    ///
    /// @return how often that was
    synchronized long refuse(Resource resource) {
        long now = times.merge(resource, 1L, Long::sum);
        if (now == 1) {
            write(resource, 1);
        }
        return now;
    }

    /// A log that cannot be written keeps no limit from being held, and whoever holds it from going
    /// on: the log itself says in the end that it is not whole.
    private void write(Resource resource, long count) {
        try {
            bounds.rule(resource)
                    .ifPresent(rule -> broker.reached(session, rule, resource == fatal, count));
        } catch (RuntimeException e) {
            // Nothing is permitted by it.
        }
    }

    /// One that has ended was on processors for so long. Looked at here as well, because whoever
    /// looks from time to time comes late while all processors are busy.
    void burnt(long nanoseconds) {
        long used = account.cpu.addAndGet(nanoseconds);
        if (used > Watch.nanos(bounds.most(Resource.CPU))) {
            spent(Resource.CPU);
        }
    }

    /// Room on a disk was taken for the sandbox.
    void takeRoom(long bytes) {
        if (bounds.has(Resource.DISK)
                && bytes > 0
                && account.disk.addAndGet(Math.min(bytes, Limit.UNLIMITED / 1024))
                        > bounds.most(Resource.DISK)) {
            spent(Resource.DISK);
        }
    }

    /// Whether no more of it was taken than there is.
    boolean hasRoom() {
        return !bounds.has(Resource.DISK) || account.disk.get() <= bounds.most(Resource.DISK);
    }

    /// How many of `bytes` that were written to the standard streams may pass.
    int pass(int bytes) {
        long most = bounds.most(Resource.OUTPUT);
        long before = account.output.getAndAdd(bytes);
        if (before + bytes > most) {
            spent(Resource.OUTPUT);
        }
        return Math.clamp(most - before, 0, bytes);
    }

    /// Nothing of it runs any more.
    ///
    /// @param own how its first process has ended
    /// @return the exit code that is to be said
    synchronized int ended(int own) {
        times.forEach(
                (resource, count) -> {
                    if (count > 1) {
                        write(resource, count);
                    }
                });
        if (fatal == null) {
            return own;
        }
        return fatal == Resource.TIME ? TIME_IS_OVER : KILLED;
    }

    synchronized List<ReachedLimit> reached() {
        var reached = new ArrayList<ReachedLimit>();
        times.forEach(
                (resource, count) ->
                        bounds.rule(resource)
                                .ifPresent(
                                        rule ->
                                                reached.add(
                                                        new ReachedLimit(
                                                                rule, resource == fatal, count))));
        return reached;
    }
}
