// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.file;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// A folder held by one writer, among all processes and within this one.
public final class FolderLock implements AutoCloseable {
    /// Folders held in this process. The kernel's lock belongs to the process and is lost when any
    /// handle to its file is closed, so a second taker here must not even open it.
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private final Path folder;
    private final FileChannel channel;

    private FolderLock(Path folder, FileChannel channel) {
        this.folder = folder;
        this.channel = channel;
    }

    /// Takes the lock of an existing folder, and waits for it no longer than `patience`.
    ///
    /// @throws HeldException if somebody else has it all that time
    public static FolderLock take(Path folder, Duration patience) throws IOException {
        var real = folder.toRealPath();
        long start = System.nanoTime();
        boolean interrupted = false;
        try {
            while (true) {
                var lock = attempt(real);
                if (lock != null) {
                    return lock;
                }
                if (System.nanoTime() - start >= patience.toNanos()) {
                    throw new HeldException(
                            "`" + folder + "` is being written by another process, or by this one");
                }
                try {
                    Thread.sleep(1);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static @Nullable FolderLock attempt(Path folder) throws IOException {
        if (!HELD.add(folder)) {
            return null;
        }
        FileChannel channel = null;
        boolean taken = false;
        try {
            channel = FileChannel.open(folder.resolve("lock"), CREATE, WRITE);
            taken = channel.tryLock() != null;
            return taken ? new FolderLock(folder, channel) : null;
        } catch (OverlappingFileLockException e) {
            return null;
        } finally {
            if (!taken) {
                HELD.remove(folder);
                if (channel != null) {
                    channel.close();
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        try {
            channel.close();
        } finally {
            HELD.remove(folder);
        }
    }
}
