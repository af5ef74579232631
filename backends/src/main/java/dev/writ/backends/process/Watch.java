// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.capability.Limit.Resource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// What the sandboxes of one session use of time, processors, memory and disks, looked at from time
/// to time: so often that the fastest machine could not use much more in between than is left, but
/// not so often that it costs much.
final class Watch {
    static final long LONGEST = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long SHORTEST = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long BYTES_A_MILLISECOND = 8 << 20;
    private static final long MILLISECOND = 1_000_000;

    /// One part in so many of a processor may be spent on looking.
    private static final int THRIFT = 20;

    private static final int MOST_FAILURES = 100;
    private static final List<Resource> WATCHED =
            List.of(Resource.TIME, Resource.MEMORY, Resource.CPU, Resource.DISK);

    private final Account account;
    private final MemoryUse memory;
    private final int processors = Runtime.getRuntime().availableProcessors();
    private volatile long due;
    private volatile Seen latest = Seen.NOTHING;
    private int failures;

    /// What was used when it was looked at, by the living and the ended.
    ///
    /// @param cpu nanoseconds on processors
    /// @param disk bytes written
    /// @param memory bytes that the living have
    record Seen(long cpu, long disk, long memory) {
        static final Seen NOTHING = new Seen(0, 0, 0);
    }

    Watch(Account account, MemoryUse memory) {
        this.account = account;
        this.memory = memory;
        this.due = next();
    }

    /// When it should be looked at again.
    long due() {
        return due;
    }

    Seen latest() {
        return latest;
    }

    /// One more is to be looked at.
    void hasten() {
        long then = next();
        if (then - due < 0) {
            due = then;
        }
    }

    private long next() {
        return System.nanoTime() + Math.min(pause(latest), timeLeft(account.runs()));
    }

    void look(Worker worker) {
        long begun = System.nanoTime();
        var runs = List.copyOf(account.runs());
        long pause;
        try {
            runs.forEach(run -> run.volunteer(worker));
            var seen = see(worker, runs);
            latest = seen;
            check(Resource.CPU, seen.cpu() / MILLISECOND);
            check(Resource.DISK, seen.disk());
            if (account.isOver(Resource.MEMORY, seen.memory())) {
                endLargest(worker, runs);
            }
            endOld(runs);
            pause = pause(seen);
            failures = 0;
        } catch (RuntimeException | Error e) {
            if (++failures >= MOST_FAILURES) {
                giveUp();
            }
            pause = 5 * SHORTEST;
        }
        long now = System.nanoTime();
        long thrifty = Math.min((now - begun) * THRIFT, LONGEST);
        due = now + Math.min(Math.max(pause, thrifty), timeLeft(runs));
        if (!runs.equals(account.runs())) {
            hasten(); // somebody came meanwhile
        }
    }

    private Seen see(Worker worker, List<Run> runs) {
        var bounds = account.bounds();
        // ORDER: who ends in between is not counted, rather than twice.
        long cpu = account.cpu.get();
        long disk = account.disk.get();
        var members = new ArrayList<Integer>();
        for (var run : runs) {
            cpu += bounds.has(Resource.CPU) ? run.cpu(worker) : 0;
            disk += bounds.has(Resource.DISK) ? run.written(worker) : 0;
            if (!run.usage.isOver()) {
                members.addAll(run.tree.members); // those of others are as good as gone
            }
        }
        return new Seen(cpu, disk, memory.look(worker, members));
    }

    private void check(Resource resource, long used) {
        if (account.isOver(resource, used)) {
            account.end(resource);
        }
    }

    /// Memory comes back, so one is enough: whoever has most of it.
    private static void endLargest(Worker worker, List<Run> runs) {
        runs.stream()
                .filter(run -> !run.usage.isOver())
                .max(Comparator.comparingLong(run -> MemoryUse.bound(worker, run.tree.members)))
                .ifPresent(run -> run.usage.end(Resource.MEMORY));
    }

    private static void endOld(List<Run> runs) {
        runs.stream()
                .filter(run -> run.timeLeft() == 0)
                .forEach(run -> run.usage.end(Resource.TIME));
    }

    private long pause(Seen seen) {
        var bounds = account.bounds();
        long pause = LONGEST;
        pause = Math.min(pause, untilFull(bounds.most(Resource.MEMORY) - seen.memory()));
        if (bounds.has(Resource.DISK)) {
            long written = Math.max(account.disk.get(), seen.disk());
            pause = Math.min(pause, untilFull(bounds.most(Resource.DISK) - written));
        }
        if (bounds.has(Resource.CPU)) {
            long used = Math.max(account.cpu.get(), seen.cpu());
            pause = Math.min(pause, (nanos(bounds.most(Resource.CPU)) - used) / processors);
        }
        return Math.max(pause, SHORTEST);
    }

    private static long timeLeft(List<Run> runs) {
        return runs.stream().mapToLong(Run::timeLeft).min().orElse(LONGEST);
    }

    private static long untilFull(long bytes) {
        return Math.min(bytes / BYTES_A_MILLISECOND, LONGEST / MILLISECOND) * MILLISECOND;
    }

    static long nanos(long milliseconds) {
        return milliseconds > Long.MAX_VALUE / MILLISECOND
                ? Long.MAX_VALUE / 2
                : milliseconds * MILLISECOND;
    }

    /// What cannot be measured must not go on.
    void giveUp() {
        WATCHED.stream().filter(account.bounds()::has).findFirst().ifPresent(account::end);
    }
}
