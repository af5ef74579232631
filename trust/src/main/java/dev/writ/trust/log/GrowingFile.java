// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// A file that is written at its end, and is on the disk as far as it was written.
///
/// To write where zeros lie already takes the disk half as long as to make a file longer, above all
/// while the machine has much else to do. So there is room ahead, once it is clear that much will
/// come. The room goes when the file is closed; whoever finds it after a crash finds nothing but
/// zeros in it.
final class GrowingFile implements Disk.Tape {
    private static final int MUCH = 32 << 10;
    private static final int ROOM = 1 << 20;

    /// More than this does not go to the disk in one piece if each piece has to be there.
    private static final int LARGE = 32 << 10;

    private final Path path;

    // Not channels: an interrupted thread would close them.
    private final RandomAccessFile file;
    private @Nullable RandomAccessFile synced; // there with the first room
    private long end;
    private long allocated;
    private long mostWithout;

    GrowingFile(Path path) throws IOException {
        this.path = path;
        file = new RandomAccessFile(path.toFile(), "rw");
        end = file.length();
        allocated = end;
        mostWithout = end + MUCH; // a log that is opened for one entry stays as it is
    }

    @Override
    public void write(byte[] bytes, int length) throws IOException {
        if (end + length > allocated && end >= mostWithout) {
            allocate(end + length + ROOM);
        }
        var direct = synced;
        if (direct == null || length > LARGE || end + length > allocated) {
            file.seek(end);
            file.write(bytes, 0, length);
            file.getFD().sync();
        } else {
            direct.seek(end);
            direct.write(bytes, 0, length);
        }
        end += length;
        allocated = Math.max(allocated, end);
    }

    private void allocate(long size) throws IOException {
        try {
            file.seek(allocated);
            file.write(new byte[(int) (size - allocated)]);
        } catch (IOException e) {
            // There is no room for room. What is really to be written may still fit.
            mostWithout = Long.MAX_VALUE;
            file.setLength(end);
            allocated = end;
            return;
        }
        file.getFD().sync();
        allocated = size;
        if (synced == null) {
            synced = new RandomAccessFile(path.toFile(), "rwd");
        }
    }

    @Override
    public void close() throws IOException {
        try (var _ = file;
                var _ = synced) {
            if (allocated > end) {
                file.setLength(end);
            }
        }
    }
}
