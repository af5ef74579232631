// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.token;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.writ.trust.biscuit.PublicKey;
import dev.writ.trust.file.FolderLock;
import dev.writ.trust.file.WholeFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Revocations in a file that is only ever added to: a line each, `token` or `holder` and 64
/// digits. It is on the disk before it is said to be done, and heeded within a fraction of a second
/// by whoever has the file open. If it cannot be read, everything is revoked.
public final class RevocationFile implements Revocations {
    private static final int LONGEST = 16 << 20;
    private static final long LOOK_NANOS = 200_000_000;

    /// @param longest how long the file has been at most
    private record State(
            FileTime changed, long size, long longest, Set<String> lines, boolean broken) {}

    private final Path file;
    private final Path folder;
    private volatile @Nullable State state;
    private volatile long looked;

    public RevocationFile(Path file) {
        this.file = file.toAbsolutePath();
        this.folder = Objects.requireNonNull(this.file.getParent());
    }

    @Override
    public boolean isRevoked(String id) {
        return has("token " + id);
    }

    @Override
    public boolean isRevoked(PublicKey holder) {
        return has(line(holder));
    }

    @Override
    public Optional<String> problem() {
        return current().broken()
                ? Optional.of("`" + file + "`, which lists what is revoked, is damaged or cut")
                : Optional.empty();
    }

    private static String line(PublicKey holder) {
        return "holder " + HexFormat.of().formatHex(holder.bytes());
    }

    private boolean has(String line) {
        var current = current();
        return current.broken() || current.lines().contains(line);
    }

    private State current() {
        var known = state;
        long now = System.nanoTime();
        if (known != null && now - looked < LOOK_NANOS) {
            return known;
        }
        looked = now;
        var fresh = read(known);
        state = fresh;
        return fresh;
    }

    private State read(@Nullable State known) {
        // What was there and is gone or shorter was taken away, and stays so.
        long longest = known == null ? 0 : known.longest();
        try {
            if (!Files.exists(file)) {
                return new State(FileTime.fromMillis(0), 0, longest, Set.of(), longest > 0);
            }
            var changed = Files.getLastModifiedTime(file);
            long size = Files.size(file);
            if (known != null && known.size() == size && known.changed().equals(changed)) {
                return known;
            }
            byte[] bytes = WholeFile.read(file, LONGEST);
            var lines = new HashSet<String>();
            boolean broken = bytes == null || size < longest;
            String text = bytes == null ? "" : new String(bytes, US_ASCII);
            // What is behind the last end of a line was never said to be done.
            for (var line : text.substring(0, text.lastIndexOf('\n') + 1).split("\n")) {
                broken |= !line.isEmpty() && !line.matches("(token|holder) [0-9a-f]{64}");
                lines.add(line);
            }
            return new State(changed, size, Math.max(size, longest), lines, broken);
        } catch (IOException e) {
            return new State(FileTime.fromMillis(0), -1, longest, Set.of(), true);
        }
    }

    /// Revokes a block, and so every token that has it.
    public void revoke(String id) throws IOException {
        append("token " + id);
    }

    /// Revokes all that a holder was ever given.
    public void revoke(PublicKey holder) throws IOException {
        append(line(holder));
    }

    private void append(String line) throws IOException {
        if (!line.matches("(token|holder) [0-9a-f]{64}")) {
            throw new IllegalArgumentException("not an id: " + line);
        }
        WholeFile.privateFolder(folder);
        try (var _ = FolderLock.take(folder, Duration.ofSeconds(10))) {
            if (!Files.exists(file)) {
                var mode = PosixFilePermissions.fromString("rw-------");
                Files.createFile(file, PosixFilePermissions.asFileAttribute(mode));
                WholeFile.syncFolder(folder);
            }
            byte[] bytes = WholeFile.read(file, LONGEST);
            String text = bytes == null ? "" : new String(bytes, US_ASCII);
            try (var out = new RandomAccessFile(file.toFile(), "rw")) {
                // ORDER: written over what was cut off, so that nobody ever sees the file shorter
                out.seek(text.lastIndexOf('\n') + 1L);
                out.write((line + "\n").getBytes(US_ASCII));
                out.setLength(out.getFilePointer());
                out.getFD().sync();
            }
        }
        looked = System.nanoTime() - LOOK_NANOS;
    }
}
