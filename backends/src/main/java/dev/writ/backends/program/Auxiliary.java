// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import dev.writ.core.capability.Text;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/// The auxiliary vector: what the kernel tells a new image about itself.
final class Auxiliary {
    private static final long AT_EXECFN = 31;
    private static final int PATH_MAX = 4096;

    private Auxiliary() {}

    /// The name that the exec was asked for. The vector of a 32-bit program cannot be read this
    /// way: such a program is refused.
    static String name(byte[] vector, Memory memory) throws IOException {
        byte[] bytes = memory.read(address(vector), PATH_MAX);
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == 0) {
                return Text.of(Arrays.copyOf(bytes, i));
            }
        }
        throw new UnclearException("the name of the started file has no end");
    }

    private static long address(byte[] vector) throws UnclearException {
        var words = ByteBuffer.wrap(vector).order(ByteOrder.nativeOrder());
        while (words.remaining() >= 2 * Long.BYTES) {
            long type = words.getLong();
            long value = words.getLong();
            if (type == AT_EXECFN) {
                return value;
            }
        }
        throw new UnclearException("the kernel does not say which file was started");
    }
}
