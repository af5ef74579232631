// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.capability.Limit.Resource;
import dev.writ.core.policy.Policy;
import dev.writ.core.sandbox.Allowance;
import dev.writ.core.sandbox.SpentException;
import dev.writ.core.sandbox.Use;
import dev.writ.kernel.CpuClock;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// What the sandboxes of one session use together. Processors, disks and output are spent once and
/// for all; memory and processes count while they are there.
final class Account implements Allowance {
    private static final long MILLISECOND = 1_000_000;

    /// What nobody gives back.
    private static final List<Resource> SPENT =
            List.of(Resource.CPU, Resource.DISK, Resource.OUTPUT);

    /// Nanoseconds on processors of processes that have ended.
    final AtomicLong cpu = new AtomicLong();

    /// Bytes written to disks by tasks that have ended, and for them.
    final AtomicLong disk = new AtomicLong();

    /// Bytes on standard output and standard error.
    final AtomicLong output = new AtomicLong();

    /// Threads that wait for something in the place of processes.
    final AtomicInteger waiting = new AtomicInteger();

    private final Policy policy;
    private final List<Run> runs = new CopyOnWriteArrayList<>();
    private volatile Bounds bounds;

    // Both guarded by this.
    private long sharedBefore = Long.MAX_VALUE;
    private @Nullable Watch watch;

    Account(Policy policy) {
        this.policy = policy;
        this.bounds = Bounds.stated(policy);
    }

    /// What runs now.
    List<Run> runs() {
        return runs;
    }

    /// What holds from now on, while anything runs. A file in memory stays when who made it has
    /// ended, so what was there before the first of the session stays the measure.
    synchronized Bounds bounds(MachineMemory memory) {
        if (runs.isEmpty()) {
            bounds = Bounds.of(policy, memory.available());
            sharedBefore = Math.min(sharedBefore, memory.shared());
        }
        return bounds;
    }

    Bounds bounds() {
        return bounds;
    }

    /// Whether `used` is more than there is.
    boolean isOver(Resource resource, long used) {
        return used > bounds.most(resource);
    }

    /// One more is about to start.
    ///
    /// @throws SpentException if there is nothing left for it
    synchronized void enter(Kernel kernel, Run run) {
        for (var resource : SPENT) {
            require(run, resource, used(resource));
        }
        // Mostly it is enough to know that there cannot be too many.
        if (tasks() >= bounds.most(Resource.PROCS)) {
            require(run, Resource.PROCS, processes(kernel));
        }
        runs.add(run);
    }

    private void require(Run run, Resource resource, long used) {
        var use = bounds.rule(resource).map(rule -> new Use(rule, used));
        if (use.filter(Use::isSpent).isPresent()) {
            run.usage.refuse(resource);
            throw new SpentException(use.get());
        }
    }

    /// One more has been started, and is looked at from now on. Must not be called on a thread that
    /// has given up rights.
    synchronized void watch() {
        if (watch == null) {
            long most = bounds.most(Resource.MEMORY);
            watch = new Watch(this, new MemoryUse(policy, most, sharedBefore));
            Meter.add(watch);
        } else {
            watch.hasten();
            Meter.wakeFor(watch);
        }
    }

    /// Nothing of it runs any more.
    synchronized void leave(Run run) {
        runs.remove(run);
        if (runs.isEmpty() && watch != null) {
            Meter.remove(watch);
            watch = null;
        }
    }

    /// There is no more of `resource` for anybody: everything ends.
    void end(Resource resource) {
        runs.forEach(run -> run.usage.end(resource));
    }

    /// How many processes and threads there are at most, with those that nobody has taken note of.
    long tasks() {
        long total = 0;
        for (var run : runs) {
            total += run.members() + run.tree.unburied.size();
        }
        return total;
    }

    /// How many processes and threads live.
    long members() {
        long total = 0;
        for (var run : runs) {
            total += run.members();
        }
        return total;
    }

    /// How many processes there are, those included that nobody has taken note of.
    long processes(Kernel kernel) {
        return processes(new FileCalls(kernel), new CpuClock(kernel), kernel);
    }

    long processes(FileCalls files, CpuClock clock, Kernel kernel) {
        long total = 0;
        for (var run : runs) {
            run.tree.unburied.removeIf(p -> !Tasks.isUnburied(kernel, files, p));
            total += run.tree.members.isEmpty() ? 1 : 0;
            for (int task : run.tree.members) {
                total += clock.ofProcess(task) >= 0 ? 1 : 0;
            }
            total += run.tree.unburied.size();
        }
        return total;
    }

    @Override
    public List<Use> use() {
        var all = new ArrayList<Use>();
        try (var kernel = new Kernel()) {
            add(all, Resource.MEMORY, latest().memory());
            add(all, Resource.PROCS, processes(kernel));
            SPENT.forEach(resource -> add(all, resource, used(resource)));
        }
        return all;
    }

    private void add(List<Use> all, Resource resource, long used) {
        bounds.rule(resource).ifPresent(rule -> all.add(new Use(rule, used)));
    }

    /// What is spent for certain. Whoever was seen alive may have ended since, and counts once.
    private long used(Resource resource) {
        return switch (resource) {
            case CPU -> Math.max(cpu.get(), latest().cpu()) / MILLISECOND;
            case DISK -> Math.max(disk.get(), latest().disk());
            case OUTPUT -> output.get();
            default -> 0;
        };
    }

    private synchronized Watch.Seen latest() {
        return watch == null ? Watch.Seen.NOTHING : watch.latest();
    }
}
