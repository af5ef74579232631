// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Arrays;

/// The memory of a process, to read from.
@FunctionalInterface
interface Memory {
    /// The bytes at `address`; fewer than `length` where the mapping ends.
    byte[] read(long address, int length) throws IOException;

    /// The memory of the process whose folder in `/proc` this is. Its reader must be allowed to
    /// trace it.
    static Memory of(Path process) {
        return (address, length) -> {
            try (var memory = FileChannel.open(process.resolve("mem"))) {
                var bytes = ByteBuffer.allocate(length);
                memory.read(bytes, address);
                return Arrays.copyOf(bytes.array(), bytes.position());
            }
        };
    }
}
