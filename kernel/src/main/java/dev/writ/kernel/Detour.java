// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/// Lets a task that is held by [Ptrace] make another system call than it was about to, by its
/// registers alone: nothing is written to its memory, which others may share. The instruction that
/// it came into the kernel by is used again.
public final class Detour {
    private static final int PTRACE_GETREGSET = 0x4204;
    private static final int PTRACE_SETREGSET = 0x4205;
    private static final int PTRACE_GETSIGMASK = 0x420a;
    private static final int PTRACE_SETSIGMASK = 0x420b;
    private static final int NT_PRSTATUS = 1;
    private static final int WALL = 0x40000000;

    /// Where what stands in the registers, and how long the instruction is.
    private record Layout(
            int count,
            int instruction,
            int length,
            int number,
            int result,
            int former,
            int[] arguments) {}

    // struct user_regs_struct: x86-64 has r10 at 7, rax 10, rdx 12, rsi 13, rdi 14, orig_rax 15,
    // rip 16; aarch64 has x0 to x30, sp, pc, pstate, and no register for the call that is over
    private static final Layout LAYOUT =
            Arch.here() == Arch.X86_64
                    ? new Layout(27, 16, 2, 10, 10, 15, new int[] {14, 13, 12, 7})
                    : new Layout(34, 32, 4, 8, 0, -1, new int[] {0, 1, 2, 3});

    /// What a task had before its detour.
    public record Before(long[] registers, long signals) {}

    private final Kernel kernel;
    private final MemorySegment registers;
    private final MemorySegment vector;

    public Detour(Kernel kernel) {
        this.kernel = kernel;
        this.registers = kernel.memory(8L * LAYOUT.count());
        this.vector = kernel.memory(16);
    }

    /// Lets a thread that was just born end at once, undisturbed by signals, and nothing else of
    /// its process.
    public void exit(int task) {
        setSignals(task, -1);
        read(task);
        call(Call.EXIT, 0);
        write(task);
    }

    /// Whether a task at the beginning or the end of a system call makes the one that [#exit] leads
    /// to.
    public boolean isExit(int task) {
        read(task);
        int at = LAYOUT.former() < 0 ? LAYOUT.number() : LAYOUT.former();
        return registers.getAtIndex(JAVA_LONG, at) == Call.EXIT.number();
    }

    /// Lets a task at the end of a system call wait for its child `child`, undisturbed by signals.
    public Before waitFor(int task, int child) {
        kernel.call(Call.PTRACE.number(), PTRACE_GETSIGMASK, task, 8, vector.address());
        long signals = vector.get(JAVA_LONG, 0);
        setSignals(task, -1);
        read(task);
        var before = registers.toArray(JAVA_LONG);
        call(Call.WAIT4, child, 0, WALL, 0);
        write(task);
        return new Before(before, signals);
    }

    /// Lets it go on from where it was, with `result` for the call that it had made there.
    public void finish(int task, Before before, long result) {
        MemorySegment.copy(
                before.registers(), 0, registers, JAVA_LONG, 0, before.registers().length);
        registers.setAtIndex(JAVA_LONG, LAYOUT.result(), result);
        noRestart();
        write(task);
        setSignals(task, before.signals());
    }

    /// Gives the call that a task is at the end of another result.
    public void result(int task, long result) {
        read(task);
        registers.setAtIndex(JAVA_LONG, LAYOUT.result(), result);
        write(task);
    }

    private void call(Call call, long... arguments) {
        long at = registers.getAtIndex(JAVA_LONG, LAYOUT.instruction());
        registers.setAtIndex(JAVA_LONG, LAYOUT.instruction(), at - LAYOUT.length());
        for (int i = 0; i < arguments.length; i++) {
            registers.setAtIndex(JAVA_LONG, LAYOUT.arguments()[i], arguments[i]);
        }
        registers.setAtIndex(JAVA_LONG, LAYOUT.number(), call.number());
        noRestart();
    }

    /// A call that is over is not begun again by the kernel, whatever its result looks like.
    private void noRestart() {
        if (LAYOUT.former() >= 0) {
            registers.setAtIndex(JAVA_LONG, LAYOUT.former(), -1);
        }
    }

    private void read(int task) {
        transfer(PTRACE_GETREGSET, task);
    }

    private void write(int task) {
        transfer(PTRACE_SETREGSET, task);
    }

    private void transfer(int request, int task) {
        vector.set(JAVA_LONG, 0, registers.address());
        vector.set(JAVA_LONG, 8, 8L * LAYOUT.count());
        kernel.call(Call.PTRACE.number(), request, task, NT_PRSTATUS, vector.address());
    }

    private void setSignals(int task, long signals) {
        vector.set(JAVA_LONG, 0, signals);
        kernel.call(Call.PTRACE.number(), PTRACE_SETSIGMASK, task, 8, vector.address());
    }
}
