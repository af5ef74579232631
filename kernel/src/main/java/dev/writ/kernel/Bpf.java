// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Classic BPF, as far as seccomp(2) runs it: one register, comparisons of unsigned 32-bit words,
/// jumps that go forward only. Written by [BpfAssembler].
public final class Bpf {
    /// The most instructions that the kernel takes.
    static final int BPF_MAXINSNS = 4096;

    // <linux/bpf_common.h>: class, size or operation, mode or operand, added up.
    static final int BPF_LD_W_ABS = 0x20;
    static final int BPF_AND_K = 0x54;
    static final int BPF_JA = 0x05;
    static final int BPF_JEQ_K = 0x15;
    static final int BPF_JGT_K = 0x25;
    static final int BPF_JGE_K = 0x35;
    static final int BPF_JSET_K = 0x45;
    static final int BPF_RET_K = 0x06;

    // <linux/seccomp.h>: what a program returns; the lower half is data.
    static final int SECCOMP_RET_KILL_PROCESS = 0x80000000;
    static final int SECCOMP_RET_ERRNO = 0x00050000;
    static final int SECCOMP_RET_USER_NOTIF = 0x7fc00000;
    static final int SECCOMP_RET_ALLOW = 0x7fff0000;
    static final int SECCOMP_RET_DATA = 0x0000ffff;

    // struct seccomp_data { int nr; __u32 arch; __u64 instruction_pointer; __u64 args[6]; };
    static final int NUMBER = 0;
    static final int ARCH = 4;
    private static final int ARGUMENTS = 16;

    private Bpf() {}

    /// Where the lower 32 bits of an argument lie.
    static int low(int argument) {
        return ARGUMENTS + 8 * argument;
    }

    /// Where the upper 32 bits of an argument lie.
    static int high(int argument) {
        return low(argument) + 4;
    }

    /// One instruction, `struct sock_filter`: what to do, how many instructions to skip if a
    /// comparison holds and if it does not, and a constant.
    public record Instruction(int code, int jt, int jf, int k) {
        public Instruction {
            if (code >>> 16 != 0 || jt >>> 8 != 0 || jf >>> 8 != 0) {
                throw new IllegalArgumentException(
                        "an instruction has 16 bits of code and 8 for each jump: `%d %d %d`"
                                .formatted(code, jt, jf));
            }
        }

        @Override
        public String toString() {
            return switch (code) {
                case BPF_LD_W_ABS -> "load " + field();
                case BPF_AND_K -> "and 0x%x".formatted(k);
                case BPF_JA -> "jump +" + k;
                case BPF_JEQ_K -> "if == 0x%x".formatted(k) + jumps();
                case BPF_JGT_K -> "if > 0x%x".formatted(k) + jumps();
                case BPF_JGE_K -> "if >= 0x%x".formatted(k) + jumps();
                case BPF_JSET_K -> "if & 0x%x".formatted(k) + jumps();
                case BPF_RET_K -> "return " + answer();
                default -> "unknown 0x%x".formatted(code) + jumps();
            };
        }

        private String jumps() {
            return " then +" + jt + " else +" + jf;
        }

        private String field() {
            return switch (k) {
                case NUMBER -> "number";
                case ARCH -> "arch";
                default ->
                        k < ARGUMENTS
                                ? "byte " + k
                                : (k % 8 == 0 ? "low " : "high ") + (k - ARGUMENTS) / 8;
            };
        }

        private String answer() {
            return switch (k & ~SECCOMP_RET_DATA) {
                case SECCOMP_RET_ALLOW -> "allow";
                case SECCOMP_RET_USER_NOTIF -> "notify";
                case SECCOMP_RET_KILL_PROCESS -> "kill";
                case SECCOMP_RET_ERRNO -> "errno " + (k & SECCOMP_RET_DATA);
                default -> "0x%x".formatted(k);
            };
        }
    }

    /// A program that the kernel takes. As text it is a line for each instruction.
    public record Program(List<Instruction> instructions) {
        private static final int INSTRUCTION_BYTES = 8;

        public Program {
            instructions = List.copyOf(instructions);
            if (instructions.isEmpty() || instructions.size() > BPF_MAXINSNS) {
                throw new IllegalArgumentException(
                        "a program has 1 to %d instructions: `%d`"
                                .formatted(BPF_MAXINSNS, instructions.size()));
            }
        }

        public int size() {
            return instructions.size();
        }

        /// The program as the kernel reads it, an array of `struct sock_filter { __u16 code; __u8
        /// jt; __u8 jf; __u32 k; }` in little endian.
        public byte[] bytes() {
            var bytes =
                    ByteBuffer.allocate(size() * INSTRUCTION_BYTES).order(ByteOrder.LITTLE_ENDIAN);
            for (var i : instructions) {
                bytes.putShort((short) i.code())
                        .put((byte) i.jt())
                        .put((byte) i.jf())
                        .putInt(i.k());
            }
            return bytes.array();
        }

        @Override
        public String toString() {
            return IntStream.range(0, size())
                    .mapToObj(i -> "%-4d %s".formatted(i, instructions.get(i)))
                    .collect(Collectors.joining("\n"));
        }
    }
}
