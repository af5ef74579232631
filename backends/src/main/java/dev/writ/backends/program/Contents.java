// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import dev.writ.core.capability.Text;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/// Opens files whose names are in the hands of a confined process. It may put a named pipe in the
/// place of a file at any moment, and whoever opens that waits for good.
final class Contents {
    private static final int S_IFMT = 0170000;
    private static final int S_IFREG = 0100000;

    private Contents() {}

    /// The regular file at `path`, to read from.
    ///
    /// @throws IOException if there is none
    static FileChannel open(Path path) throws IOException {
        try (var kernel = new Kernel()) {
            var files = new FileCalls(kernel);
            byte[] name = Text.bytes(RawText.of(path));
            int file = files.open(FileCalls.AT_FDCWD, name, FileCalls.O_NONBLOCK, 0);
            try {
                if (file < 0 || files.look(file) < 0 || (files.mode() & S_IFMT) != S_IFREG) {
                    throw new UnclearException("the file cannot be read: `" + path + "`");
                }
                // The very same file again, as Java opens files.
                return FileChannel.open(Path.of("/proc/self/fd/" + file));
            } finally {
                files.close(file);
            }
        }
    }

    static InputStream stream(Path path) throws IOException {
        return Channels.newInputStream(open(path));
    }
}
