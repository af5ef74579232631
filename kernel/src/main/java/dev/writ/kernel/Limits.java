// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;

/// prlimit(2): bounds on what one process may use.
public final class Limits {
    public static final int CORE = 4;

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
}
