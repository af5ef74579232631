// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.capability.Limit.Resource;
import dev.writ.kernel.FileCalls;

/// One sandbox while it runs, as it is looked at from time to time.
final class Run {
    private static final byte[] FIRST_TO_GO = Walker.bytes("1000");

    final Usage usage;
    final Tree tree;
    private final long started = System.nanoTime();
    private boolean volunteered; // belongs to the thread that looks

    Run(Usage usage, Tree tree) {
        this.usage = usage;
        this.tree = tree;
    }

    /// How many processes and threads it has. One that is about to start is there already.
    int members() {
        return Math.max(1, tree.members.size());
    }

    /// Nanoseconds that it may still run.
    long timeLeft() {
        return Math.max(0, Watch.nanos(usage.bounds.most(Resource.TIME)) - passed());
    }

    private long passed() {
        return System.nanoTime() - started;
    }

    /// Nanoseconds on processors of those that live.
    long cpu(Worker worker) {
        long total = 0;
        for (int task : tree.members) {
            total += Math.max(0, worker.clock.ofProcess(task));
        }
        return total;
    }

    /// Bytes that those have written who live.
    long written(Worker worker) {
        long total = 0;
        for (int task : tree.members) {
            total += tree.leaving.contains(task) ? 0 : Accounts.written(worker.files, task);
        }
        return total;
    }

    /// If the machine runs out of memory after all, this goes first. Children have it from their
    /// parents, so once is enough.
    void volunteer(Worker worker) {
        if (volunteered) {
            return;
        }
        volunteered = true;
        for (int task : tree.members) {
            byte[] file = Walker.bytes("/proc/" + task + "/oom_score_adj");
            int score = worker.files.open(FileCalls.AT_FDCWD, file, FileCalls.O_WRONLY, 0);
            if (score >= 0) {
                worker.files.write(score, FIRST_TO_GO);
                worker.files.close(score);
            }
        }
    }
}
