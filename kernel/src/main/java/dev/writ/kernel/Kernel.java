// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// One thread's way into the kernel: the one shape of call, and memory to pass arguments in. It
/// belongs to the thread that made it.
///
/// Every function takes seven longs and gives one, so that there is one shape to link: each further
/// one costs start-up time.
public final class Kernel implements AutoCloseable {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final MethodHandle CALL = bind();
    private static final MemorySegment SYSCALL = function("syscall");

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment errno = arena.allocate(Linker.Option.captureStateLayout());

    public Kernel() {}

    // SAFETY: every function called through this handle takes at most seven register-sized
    // arguments and returns one or none; syscall(2) is variadic in C, but is written in assembly
    // and
    // takes its arguments from the registers that a plain call uses.
    @SuppressWarnings("restricted")
    private static MethodHandle bind() {
        return LINKER.downcallHandle(
                FunctionDescriptor.of(
                        JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
                        JAVA_LONG),
                Linker.Option.captureCallState("errno"));
    }

    /// A function of the C library.
    static MemorySegment function(String name) {
        return LINKER.defaultLookup().findOrThrow(name);
    }

    /// Makes a system call. A failure comes back as the negated error number.
    long call(int number, long a, long b, long c, long d, long e, long f) {
        try {
            long result = (long) CALL.invokeExact(SYSCALL, errno, (long) number, a, b, c, d, e, f);
            return result == -1 ? -errno.get(JAVA_INT, 0) : result;
        } catch (Throwable e1) {
            throw new AssertionError("a system call does not throw", e1);
        }
    }

    long call(int number, long a, long b, long c, long d, long e) {
        return call(number, a, b, c, d, e, 0);
    }

    long call(int number, long a, long b, long c, long d) {
        return call(number, a, b, c, d, 0, 0);
    }

    long call(int number, long a, long b, long c) {
        return call(number, a, b, c, 0, 0, 0);
    }

    long call(int number, long a, long b) {
        return call(number, a, b, 0, 0, 0, 0);
    }

    long call(int number, long a) {
        return call(number, a, 0, 0, 0, 0, 0);
    }

    /// Calls a function that returns an error number instead of setting it, or nothing.
    int invoke(MemorySegment function, long a, long b, long c, long d, long e, long f) {
        return (int) value(function, a, b, c, d, e, f);
    }

    int invoke(MemorySegment function, long a, long b, long c, long d, long e) {
        return invoke(function, a, b, c, d, e, 0);
    }

    /// Calls a function that returns an address.
    long value(MemorySegment function, long a, long b, long c, long d, long e) {
        return value(function, a, b, c, d, e, 0);
    }

    private long value(MemorySegment function, long a, long b, long c, long d, long e, long f) {
        try {
            return (long) CALL.invokeExact(function, errno, a, b, c, d, e, f, 0L);
        } catch (Throwable e1) {
            throw new AssertionError("a C function does not throw", e1);
        }
    }

    /// The number of the calling thread.
    public int thread() {
        return (int) call(Call.GETTID.number(), 0);
    }

    private int process() {
        return (int) call(Call.GETPID.number(), 0);
    }

    /// Stops this process as by a key at the terminal, and returns when it goes on.
    public void stopThisProcess() {
        // Sent to this thread, which takes it before it goes on. Any other might take it later.
        call(Call.TGKILL.number(), process(), thread(), 19); // SIGSTOP
    }

    /// Leaves the terminal and the group of whoever has started this process, so that it outlives
    /// them. A process that leads a group already stays as it is.
    public void leaveTerminal() {
        call(Call.SETSID.number(), 0);
    }

    /// Lets SIGQUIT end this process as it ends others, and without leaving a core. A JVM would
    /// write about its threads instead, into what somebody else reads.
    public void endOnQuit() {
        Limits.set(this, 0, Limits.CORE, 0);
        // struct sigaction without anything in it is the default
        call(Call.RT_SIGACTION.number(), 3, memory(32).address(), 0, 8);
    }

    /// Memory that lives as long as this.
    MemorySegment memory(long bytes) {
        return arena.allocate(bytes, 8);
    }

    /// A text as C has it, in memory that lives as long as this.
    MemorySegment text(byte[] text) {
        var memory = memory(text.length + 1L);
        MemorySegment.copy(text, 0, memory, JAVA_BYTE, 0, text.length);
        return memory;
    }

    /// Checks the result of a call whose failure nobody can do anything about.
    ///
    /// @throws KernelException if it is a failure
    static long check(String what, long result) {
        if (result < 0) {
            throw new KernelException(what, (int) -result);
        }
        return result;
    }

    @Override
    public void close() {
        arena.close();
    }
}
