// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.file;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/// Files that are read and written as a whole. Plain streams, because a channel is closed when the
/// thread that uses it is interrupted.
public final class WholeFile {
    private WholeFile() {}

    /// What the file holds, or null if there is none.
    ///
    /// @throws IOException if it is longer than `most`, or no ordinary file: it may come from a
    /// stranger, who could put a pipe there that never ends
    public static byte @Nullable [] read(Path path, int most) throws IOException {
        if (!Files.exists(path, NOFOLLOW_LINKS)) {
            return null;
        }
        if (!Files.isRegularFile(path, NOFOLLOW_LINKS)) {
            throw new IOException("not an ordinary file: `" + path + "`");
        }
        try (var in = new FileInputStream(path.toFile())) {
            byte[] bytes = in.readNBytes(most);
            if (in.read() >= 0) {
                throw new IOException("longer than " + most + " bytes: `" + path + "`");
            }
            return bytes;
        }
    }

    /// Puts a file in the place of another; whoever reads sees the one or the other. It may be lost
    /// when the machine stops.
    public static void replace(Path path, byte[] bytes) throws IOException {
        replace(path, bytes, bytes.length, false);
    }

    /// The same, with what is in it on the disk before it gets its name. The name itself may be
    /// lost when the machine stops; see [#syncFolder].
    public static void replaceDurably(Path path, byte[] bytes) throws IOException {
        // Where others can write, they may have left a link.
        var fresh = fresh(path);
        Files.deleteIfExists(fresh);
        Files.createFile(fresh);
        replace(path, bytes, bytes.length, true);
    }

    /// Puts the first `length` bytes there.
    public static void replace(Path path, byte[] bytes, int length, boolean durably)
            throws IOException {
        var fresh = fresh(path);
        try {
            try (var out = new FileOutputStream(fresh.toFile())) {
                out.write(bytes, 0, length);
                if (durably) {
                    out.getFD().sync();
                }
            }
            Files.move(fresh, path, ATOMIC_MOVE, REPLACE_EXISTING);
        } catch (IOException e) {
            Files.deleteIfExists(fresh);
            throw e;
        }
    }

    /// The same for a file that nobody else may read, not even while it is made.
    public static void replaceSecretly(Path path, byte[] bytes) throws IOException {
        var fresh = fresh(path);
        Files.deleteIfExists(fresh);
        var mode = PosixFilePermissions.fromString("rw-------");
        Files.createFile(fresh, PosixFilePermissions.asFileAttribute(mode));
        replace(path, bytes, bytes.length, true);
    }

    /// Leaves a new secret, 64 hexadecimal digits, where only its owner can read it.
    public static String newSecret(Path path) throws IOException {
        byte[] random = new byte[32];
        new SecureRandom().nextBytes(random);
        String secret = HexFormat.of().formatHex(random);
        replaceSecretly(path, (secret + "\n").getBytes(StandardCharsets.US_ASCII));
        return secret;
    }

    private static Path fresh(Path path) {
        return path.resolveSibling(path.getFileName() + ".new");
    }

    /// Has the file's contents on the disk when it returns.
    public static void sync(Path path) throws IOException {
        try (var in = new RandomAccessFile(path.toFile(), "rw")) {
            in.getFD().sync();
        }
    }

    /// Has the names in a folder on the disk when it returns.
    public static void syncFolder(Path folder) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try (var channel = FileChannel.open(folder, StandardOpenOption.READ)) {
                    channel.force(true);
                    return;
                } catch (ClosedByInterruptException e) {
                    interrupted |= Thread.interrupted(); // not the disk's fault: once more
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /// Makes a folder that nobody else may enter, with those above it, unless it is there.
    public static void privateFolder(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            var mode = PosixFilePermissions.fromString("rwx------");
            Files.createDirectories(folder, PosixFilePermissions.asFileAttribute(mode));
        }
    }
}
