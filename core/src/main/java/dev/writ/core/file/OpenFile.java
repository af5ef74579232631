// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;

/// A file that was judged, and is open to be read.
public record OpenFile(FileStatus status, FileChannel channel) implements AutoCloseable {
    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
