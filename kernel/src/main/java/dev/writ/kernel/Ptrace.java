// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.IntConsumer;

/// ptrace(2), used to follow a tree of processes: who is born, what each one starts, who ends.
/// Every call must come from the one thread that seized the first of them.
public final class Ptrace {
    /// What a task has stopped for, or how it ended.
    public enum Event {
        /// Ended by itself or by a signal.
        ENDED,
        /// A signal is on its way to it.
        SIGNAL,
        /// Stopped as by SIGSTOP.
        GROUP_STOP,
        /// A new program image, before its first instruction.
        EXEC,
        /// Has given birth.
        BIRTH,
        /// Is about to end, whatever happens. Only where that was asked for.
        EXIT,
        /// At the beginning or the end of a system call, after [#resumeToCall].
        CALL,
        /// Something to go on from, such as the first stop of one that was born.
        OTHER
    }

    private static final int PTRACE_POKETEXT = 4;
    private static final int PTRACE_CONT = 7;
    private static final int PTRACE_SYSCALL = 24;
    private static final int PTRACE_GETEVENTMSG = 0x4201;
    private static final int PTRACE_GETREGSET = 0x4204;
    private static final int PTRACE_SEIZE = 0x4206;
    private static final int PTRACE_LISTEN = 0x4208;
    private static final int NT_PRSTATUS = 1;

    // fork, vfork, clone and exec are followed; all of them die with the tracer; stops at calls are
    // marked
    private static final int OPTIONS = 1 | 2 | 4 | 8 | 0x10 | 0x100000;
    private static final int AND_EXITS = 0x40;
    private static final int EVENT_EXEC = 4;
    private static final int EVENT_EXIT = 6;
    private static final int EVENT_STOP = 128;
    private static final int SIGTRAP = 5;
    private static final int SIGKILL = 9;
    private static final int CALL_STOP = SIGTRAP | 0x80;
    private static final int WNOHANG = 1;
    private static final int WSTOPPED = 2;
    private static final int WEXITED = 4;
    private static final int WNOWAIT = 0x1000000;
    private static final int LAST_WAY_TO_END = 3; // CLD_EXITED, CLD_KILLED, CLD_DUMPED
    private static final int WALL = 0x40000000;
    private static final int WNOTHREAD = 0x20000000;

    private final Kernel kernel;
    private final MemorySegment status;
    private final MemorySegment registers;
    private final MemorySegment vector;
    private final MemorySegment peeked;

    public Ptrace(Kernel kernel) {
        this.kernel = kernel;
        this.status = kernel.memory(8);
        this.registers = kernel.memory(8 * 64);
        this.vector = kernel.memory(16);
        this.peeked = kernel.memory(128);
    }

    /// Takes hold of `task` without stopping it.
    public long seize(int task) {
        return seize(task, false);
    }

    /// @param exits whether it, and all that come from it, stop once more before they end
    public long seize(int task, boolean exits) {
        int options = exits ? OPTIONS | AND_EXITS : OPTIONS;
        return kernel.call(Call.PTRACE.number(), PTRACE_SEIZE, task, 0, options);
    }

    /// Waits for an event of any task held by this thread and gives its number; negated error if
    /// there is none left; 0 if none is ready and `waiting` is false.
    public int await(boolean waiting) {
        return await(-1, waiting);
    }

    private int await(int which, boolean waiting) {
        return (int)
                kernel.call(
                        Call.WAIT4.number(),
                        which,
                        status.address(),
                        WALL | WNOTHREAD | (waiting ? 0 : WNOHANG),
                        0);
    }

    /// The same, but `ending` hears first of a task that has ended, while the kernel still has its
    /// accounts.
    public int await(boolean waiting, IntConsumer ending) {
        // siginfo_t: si_code at 8, si_pid at 16
        peeked.fill((byte) 0);
        long result =
                kernel.call(
                        Call.WAITID.number(),
                        0,
                        0,
                        peeked.address(),
                        WEXITED | WSTOPPED | WNOWAIT | WALL | WNOTHREAD | (waiting ? 0 : WNOHANG),
                        0);
        int task = peeked.get(JAVA_INT, 16);
        if (result < 0 || task == 0) {
            return (int) result;
        }
        if (peeked.get(JAVA_INT, 8) <= LAST_WAY_TO_END) {
            ending.accept(task);
        }
        return await(task, false);
    }

    public Event event() {
        int s = status.get(JAVA_INT, 0);
        if ((s & 0xff) != 0x7f) {
            return Event.ENDED;
        }
        return switch (s >>> 16) {
            case 0 -> signal() == CALL_STOP ? Event.CALL : Event.SIGNAL;
            case 1, 2, 3 -> Event.BIRTH; // fork, vfork, clone
            case EVENT_EXEC -> Event.EXEC;
            case EVENT_EXIT -> Event.EXIT;
            case EVENT_STOP -> signal() == SIGTRAP ? Event.OTHER : Event.GROUP_STOP;
            default -> Event.OTHER;
        };
    }

    /// The signal that stopped it.
    public int signal() {
        return status.get(JAVA_INT, 0) >> 8 & 0xff;
    }

    /// At a birth the number of the new task; at an exec the number that the task had before; 0 if
    /// it cannot be said any more.
    public int message(int task) {
        long result =
                kernel.call(Call.PTRACE.number(), PTRACE_GETEVENTMSG, task, 0, vector.address());
        return result < 0 ? 0 : (int) vector.get(JAVA_LONG, 0);
    }

    /// How it ended, as a shell says it: its exit code, or 128 and the signal.
    public int exitCode() {
        int s = status.get(JAVA_INT, 0);
        return (s & 0x7f) == 0 ? s >> 8 & 0xff : 128 + (s & 0x7f);
    }

    public void resume(int task, int signal) {
        kernel.call(Call.PTRACE.number(), PTRACE_CONT, task, 0, signal);
    }

    /// Lets it go on to the beginning or the end of its next system call.
    public void resumeToCall(int task, int signal) {
        kernel.call(Call.PTRACE.number(), PTRACE_SYSCALL, task, 0, signal);
    }

    /// Leaves a stopped task stopped, but hears of its next change.
    public void leaveStopped(int task) {
        kernel.call(Call.PTRACE.number(), PTRACE_LISTEN, task, 0, 0);
    }

    /// Ends a task that waits at its exec stop with `code`: the instructions it was to begin with
    /// are replaced by a call of exit_group.
    public void exit(int task, int code) {
        if (!putExit(task, code)) {
            kill(kernel, task, SIGKILL);
        }
        resume(task, 0);
    }

    private boolean putExit(int task, int code) {
        boolean x86 = Arch.here() == Arch.X86_64;
        // struct user_regs_struct: x86-64 has rip at 16 of 27; aarch64 has pc at 32 of 34
        vector.set(JAVA_LONG, 0, registers.address());
        vector.set(JAVA_LONG, 8, 8L * (x86 ? 27 : 34));
        long got =
                kernel.call(
                        Call.PTRACE.number(),
                        PTRACE_GETREGSET,
                        task,
                        NT_PRSTATUS,
                        vector.address());
        long at = registers.getAtIndex(JAVA_LONG, x86 ? 16 : 32);
        long[] words = x86 ? exitOnX86(code) : exitOnAarch64(code);
        return got >= 0 && poke(task, at, words[0]) >= 0 && poke(task, at + 8, words[1]) >= 0;
    }

    private long poke(int task, long address, long word) {
        return kernel.call(Call.PTRACE.number(), PTRACE_POKETEXT, task, address, word);
    }

    /// mov edi, code; mov eax, number; syscall
    private static long[] exitOnX86(int code) {
        var bytes = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put((byte) 0xbf).putInt(code).put((byte) 0xb8).putInt(Call.EXIT_GROUP.number());
        bytes.put((byte) 0x0f).put((byte) 0x05);
        return new long[] {bytes.getLong(0), bytes.getLong(8)};
    }

    /// movz w0, code; movz w8, number; svc 0
    private static long[] exitOnAarch64(int code) {
        var bytes = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(0x52800000 | (code << 5));
        bytes.putInt(0x52800008 | (Call.EXIT_GROUP.number() << 5)).putInt(0xd4000001);
        return new long[] {bytes.getLong(0), bytes.getLong(8)};
    }

    /// kill(2), for one process only, from any thread. A number that means several means none here.
    public static long kill(Kernel kernel, int process, int signal) {
        return process <= 1 ? -Errno.ESRCH : kernel.call(Call.KILL.number(), process, signal);
    }

    /// Sends a signal to every process of a group.
    public static long killGroup(Kernel kernel, int group, int signal) {
        return group <= 1 ? -Errno.ESRCH : kernel.call(Call.KILL.number(), -group, signal);
    }
}
