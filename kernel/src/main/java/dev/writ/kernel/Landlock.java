// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

/// landlock(7): lets a thread give up access that it does not need.
public final class Landlock {
    private static final long SYS_LANDLOCK_CREATE_RULESET = 444; // the same on x86-64 and aarch64
    private static final long LANDLOCK_CREATE_RULESET_VERSION = 1;

    private Landlock() {}

    /// The version of the interface that this kernel offers, found by asking it; 0 if there is
    /// none.
    public static int abi() {
        long version =
                Syscall.call(SYS_LANDLOCK_CREATE_RULESET, 0, 0, LANDLOCK_CREATE_RULESET_VERSION);
        return (int) Math.max(version, 0);
    }
}
