// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;

/// syscall(2). One shape of call for everything: each further shape costs start-up time.
final class Syscall {
    private static final MethodHandle SYSCALL = bind();

    private Syscall() {}

    // SAFETY: syscall(3) takes a number and up to six register-sized arguments and returns a long;
    // calling the variadic function with all of
    // them as longs is how the C library's own wrapper passes them on x86-64 and aarch64.
    @SuppressWarnings("restricted")
    private static MethodHandle bind() {
        var linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow("syscall"),
                FunctionDescriptor.of(
                        JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
                        JAVA_LONG),
                Linker.Option.firstVariadicArg(1));
    }

    /// Makes a call; -1 is a failure.
    static long call(long number, long a, long b, long c) {
        try {
            return (long) SYSCALL.invokeExact(number, a, b, c, 0L, 0L, 0L);
        } catch (Throwable e) {
            throw new AssertionError("a system call does not throw", e);
        }
    }
}
