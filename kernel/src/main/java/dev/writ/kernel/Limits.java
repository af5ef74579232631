// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;

/// prlimit(2): bounds on what one process may use.
public final class Limits {
    public static final int FILE_SIZE = 1;
    public static final int CORE = 4;
    public static final int DESCRIPTORS = 7;

    private Limits() {}

    /// Sets both the soft and the hard limit of `task`.
    public static long set(Kernel kernel, int task, int resource, long most) {
        try (var memory = Arena.ofConfined()) {
            var limit = memory.allocate(16, 8);
            limit.set(JAVA_LONG, 0, most);
            limit.set(JAVA_LONG, 8, most);
            return kernel.call(Call.PRLIMIT64.number(), task, resource, limit.address(), 0);
        }
    }

    /// Sets both limits of `task` to `most`, or leaves them where they are lower already.
    public static long lower(Kernel kernel, int task, int resource, long most) {
        try (var memory = Arena.ofConfined()) {
            var limit = memory.allocate(16, 8);
            long got = kernel.call(Call.PRLIMIT64.number(), task, resource, 0, limit.address());
            if (got < 0) {
                return got;
            }
            for (int at = 0; at <= 8; at += 8) {
                limit.set(JAVA_LONG, at, smaller(most, limit.get(JAVA_LONG, at)));
            }
            return kernel.call(Call.PRLIMIT64.number(), task, resource, limit.address(), 0);
        }
    }

    /// The soft limit of `task`; none if it cannot be said.
    public static long get(Kernel kernel, int task, int resource) {
        try (var memory = Arena.ofConfined()) {
            var limit = memory.allocate(16, 8);
            long got = kernel.call(Call.PRLIMIT64.number(), task, resource, 0, limit.address());
            return got < 0 ? 0 : smaller(limit.get(JAVA_LONG, 0), Long.MAX_VALUE);
        }
    }

    /// Unlimited is the largest number without a sign.
    private static long smaller(long one, long other) {
        return Long.compareUnsigned(one, other) < 0 ? one : other;
    }
}
