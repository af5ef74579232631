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

    private static volatile @Nullable MachineMemory latest;

    static MachineMemory now(Kernel kernel) {
        var known = latest;
        long now = System.nanoTime();
        if (known == null || now - known.at > GOOD_FOR) {
            String text = Accounts.read(new FileCalls(kernel), "/proc/meminfo");
            known =
                    new MachineMemory(
                            Accounts.number(text, "\nMemAvailable:", 1024),
                            Accounts.number(text, "\nShmem:", 1024),
                            now);
            latest = known;
        }
        return known;
    }
}
