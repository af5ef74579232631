// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.capability.Limit.Resource;
import dev.writ.kernel.FileCalls;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// What one sandbox uses of time, processors, memory and disks, looked at from time to time: so
/// often that the fastest machine could not use much more in between than is left, but not so often
/// that it costs much.
final class Watch {
    static final long LONGEST = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long SHORTEST = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long BYTES_A_MILLISECOND = 8 << 20;
    private static final long MILLISECOND = 1_000_000;

    /// One part in so many of a processor may be spent on looking.
    private static final int THRIFT = 20;

    private static final int MOST_FAILURES = 100;
    private static final byte[] FIRST_TO_GO = Walker.bytes("1000");
    private static final List<Resource> WATCHED =
            List.of(Resource.TIME, Resource.MEMORY, Resource.CPU, Resource.DISK);

    private final Usage usage;
    private final Tree tree;
    private final MemoryUse memory;
    private final int processors = Runtime.getRuntime().availableProcessors();
    private final long started = System.nanoTime();
    private volatile long due;
    private int failures;
    private boolean volunteered;

    Watch(Usage usage, Tree tree, MemoryUse memory) {
        this.usage = usage;
        this.tree = tree;
        this.memory = memory;
        this.due = started + Math.min(pause(0, 0, 0), timeLeft());
    }

    /// When it should be looked at again.
    long due() {
        return due;
    }

    void look(Worker worker) {
        long begun = System.nanoTime();
        long pause;
        try {
            volunteer(worker);
            long cpu = 0;
            long bytes = 0;
            if (usage.bounds.has(Resource.CPU)) {
                cpu = cpu(worker);
                check(Resource.CPU, cpu / MILLISECOND);
            }
            if (usage.bounds.has(Resource.DISK)) {
                bytes = disk(worker);
                check(Resource.DISK, bytes);
            }
            long used = memory.look(worker);
            check(Resource.MEMORY, used);
            check(Resource.TIME, (System.nanoTime() - started) / MILLISECOND);
            pause = pause(cpu, bytes, used);
            failures = 0;
        } catch (RuntimeException | Error e) {
            if (++failures >= MOST_FAILURES) {
                giveUp();
            }
            pause = 5 * SHORTEST;
        }
        long now = System.nanoTime();
        long thrifty = Math.min((now - begun) * THRIFT, LONGEST);
        due = now + Math.min(Math.max(pause, thrifty), timeLeft());
    }

    /// If the machine runs out of memory after all, this goes first. Children have it from their
    /// parents, so once is enough.
    private void volunteer(Worker worker) {
        if (volunteered) {
            return;
        }
        volunteered = true;
        for (int task : tree.members) {
            byte[] file = Walker.bytes("/proc/" + task + "/oom_score_adj");
            int score = worker.files.open(FileCalls.AT_FDCWD, file, FileCalls.O_WRONLY, 0);
            if (score >= 0) {
                worker.files.writeNow(score, FIRST_TO_GO);
                worker.files.close(score);
            }
        }
    }

    private void check(Resource resource, long used) {
        long most = usage.bounds.most(resource);
        if (resource == Resource.TIME ? used >= most : used > most) {
            usage.end(resource);
        }
    }

    private long cpu(Worker worker) {
        // ORDER: who ends in between is not counted, rather than twice.
        long total = usage.cpu.get();
        for (int task : tree.members) {
            total += Math.max(0, worker.clock.ofProcess(task));
        }
        return total;
    }

    private long disk(Worker worker) {
        long total = usage.disk.get();
        for (int task : tree.members) {
            total += tree.leaving.contains(task) ? 0 : Accounts.written(worker.files, task);
        }
        return total;
    }

    private long pause(long cpu, long written, long used) {
        var bounds = usage.bounds;
        long pause = LONGEST;
        pause = Math.min(pause, untilFull(bounds.most(Resource.MEMORY) - used));
        pause = Math.min(pause, untilFull(bounds.most(Resource.DISK) - written));
        if (bounds.has(Resource.CPU)) {
            long left = nanos(bounds.most(Resource.CPU)) - cpu;
            pause = Math.min(pause, left / processors);
        }
        return Math.max(pause, SHORTEST);
    }

    private long timeLeft() {
        long passed = System.nanoTime() - started;
        return Math.max(0, nanos(usage.bounds.most(Resource.TIME)) - passed);
    }

    private static long untilFull(long bytes) {
        return Math.min(bytes / BYTES_A_MILLISECOND, LONGEST / MILLISECOND) * MILLISECOND;
    }

    private static long nanos(long milliseconds) {
        return milliseconds > Long.MAX_VALUE / MILLISECOND
                ? Long.MAX_VALUE / 2
                : milliseconds * MILLISECOND;
    }

    /// What cannot be measured must not go on.
    void giveUp() {
        WATCHED.stream().filter(usage.bounds::has).findFirst().ifPresent(usage::end);
    }
}
