// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The memory of this machine, as it was not long ago.
///
/// @param available how much could be used without taking it from others
/// @param shared how much is shared memory or lies in files that are memory
/// @param at when
record MachineMemory(long available, long shared, long at) {
    private static final long GOOD_FOR = TimeUnit.SECONDS.toNanos(1);

    private static final String CGROUP = "/sys/fs/cgroup/";

    private static volatile @Nullable MachineMemory latest;

    static MachineMemory now(Kernel kernel) {
        var known = latest;
        long now = System.nanoTime();
        if (known == null || now - known.at > GOOD_FOR) {
            var files = new FileCalls(kernel);
            String text = Accounts.read(files, "/proc/meminfo");
            long available = Accounts.number(text, "\nMemAvailable:", 1024);
            long shared = Accounts.number(text, "\nShmem:", 1024);
            known = new MachineMemory(Math.min(available, leftInContainer(files)), shared, now);
            latest = known;
        }
        return known;
    }

    /// What a container around this process leaves it, where there is one: as it sees its own
    /// cgroup, of the second version or of the first.
    private static long leftInContainer(FileCalls files) {
        return Math.min(
                left(files, "memory.max", "memory.current"),
                left(files, "memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"));
    }

    private static long left(FileCalls files, String most, String used) {
        long limit = Accounts.number(Accounts.read(files, CGROUP + most), "", 1);
        return limit <= 0
                ? Long.MAX_VALUE
                : limit - Accounts.number(Accounts.read(files, CGROUP + used), "", 1);
    }
}
