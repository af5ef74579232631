// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/// memfd_create(2): a file in memory that nobody can change, whoever gets hold of it.
public final class SealedFile {
    private static final int MFD_CLOEXEC = 1;
    private static final int MFD_ALLOW_SEALING = 2;
    private static final int F_ADD_SEALS = 1033;
    private static final int ALL_SEALS = 15; // no further seals, shorter, longer, written

    private SealedFile() {}

    /// A file with these bytes; its descriptor, or the negated error.
    public static int make(Kernel kernel, byte[] bytes) {
        try (var arena = Arena.ofConfined()) {
            var name = arena.allocateFrom("writ", StandardCharsets.US_ASCII);
            long file =
                    kernel.call(
                            Call.MEMFD_CREATE.number(),
                            name.address(),
                            MFD_CLOEXEC | MFD_ALLOW_SEALING);
            if (file < 0) {
                return (int) file;
            }
            var content = arena.allocate(Math.max(1, bytes.length));
            MemorySegment.copy(bytes, 0, content, JAVA_BYTE, 0, bytes.length);
            long failure = fill(kernel, (int) file, content, bytes.length);
            if (failure < 0) {
                kernel.call(Call.CLOSE.number(), file);
                return (int) failure;
            }
            return (int) file;
        }
    }

    private static long fill(Kernel kernel, int file, MemorySegment content, long length) {
        long written = 0;
        while (written < length) {
            long result =
                    kernel.call(
                            Call.WRITE.number(),
                            file,
                            content.address() + written,
                            length - written);
            if (result <= 0) {
                return result < 0 ? result : -Errno.ENOSPC;
            }
            written += result;
        }
        return kernel.call(Call.FCNTL.number(), file, F_ADD_SEALS, ALL_SEALS);
    }
}
