// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// Runs a program as the kernel would, from its bytes. Shares nothing with the code under test but
/// the layout of memory.
final class Machine {
    private final ByteBuffer program;
    private int executed;

    Machine(Bpf.Program program) {
        this.program = ByteBuffer.wrap(program.bytes()).order(ByteOrder.LITTLE_ENDIAN);
    }

    /// How many instructions the last run took.
    int executed() {
        return executed;
    }

    /// What the program returns for a call. Does not end on a program that the kernel would refuse.
    int run(int arch, int number, long... arguments) {
        var data = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
        data.putInt(number).putInt(arch).putLong(0x1234_5678_9abc_def0L);
        for (long argument : arguments) {
            data.putLong(argument);
        }
        int a = 0;
        executed = 0;
        for (int pc = 0; ; pc++) {
            executed++;
            int code = program.getShort(8 * pc);
            int jt = program.get(8 * pc + 2) & 0xff;
            int jf = program.get(8 * pc + 3) & 0xff;
            int k = program.getInt(8 * pc + 4);
            switch (code) {
                case 0x20 -> a = data.getInt(k);
                case 0x54 -> a &= k;
                case 0x05 -> pc += k;
                case 0x15 -> pc += a == k ? jt : jf;
                case 0x25 -> pc += Integer.compareUnsigned(a, k) > 0 ? jt : jf;
                case 0x35 -> pc += Integer.compareUnsigned(a, k) >= 0 ? jt : jf;
                case 0x45 -> pc += (a & k) != 0 ? jt : jf;
                case 0x06 -> {
                    return k;
                }
                default -> throw new AssertionError("the kernel refuses code " + code);
            }
        }
    }
}
