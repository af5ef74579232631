// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/// clock_gettime(2) for the time that others have had on a processor. It belongs to one thread.
public final class CpuClock {
    private static final int CPUCLOCK_SCHED = 2;

    private final Kernel kernel;
    private final MemorySegment time;

    public CpuClock(Kernel kernel) {
        this.kernel = kernel;
        this.time = kernel.memory(16);
    }

    /// Nanoseconds that `process` has had, with all its threads, those that have ended included,
    /// but without its children; negative if there is no such process, or if this is the number of
    /// another thread than its first.
    public long ofProcess(int process) {
        // The number of a process stands inverted in the number of its clock.
        int clock = ~process << 3 | CPUCLOCK_SCHED;
        return kernel.call(Call.CLOCK_GETTIME.number(), clock, time.address()) < 0
                ? -1
                : time.get(JAVA_LONG, 0) * 1_000_000_000 + time.get(JAVA_LONG, 8);
    }
}
