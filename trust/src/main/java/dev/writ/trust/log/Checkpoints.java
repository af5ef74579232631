// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// The list of all checkpoints that were ever signed, an empty line behind each. It may end in the
/// middle of one, if the machine stopped.
final class Checkpoints implements AutoCloseable {
    private static final int LONGEST = 10_000;

    private final BufferedInputStream in;

    private Checkpoints(Path path) throws IOException {
        in = new BufferedInputStream(new FileInputStream(path.toFile()));
    }

    private static Path path(Path log) {
        return log.resolve("checkpoints.log");
    }

    /// All of them, or null if there is no list.
    static @Nullable Checkpoints read(Path log) throws IOException {
        var path = path(log);
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return null;
        }
        if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException("not an ordinary file: `" + path + "`");
        }
        return new Checkpoints(path);
    }

    static void add(Path log, Checkpoint checkpoint) throws IOException {
        try (var out = new FileOutputStream(path(log).toFile(), true)) {
            out.write((checkpoint.note() + "\n").getBytes(UTF_8));
        }
    }

    /// The last whole one.
    static @Nullable Checkpoint last(Path log) throws IOException {
        var path = path(log);
        if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
            return null;
        }
        byte[] bytes;
        try (var file = new RandomAccessFile(path.toFile(), "r")) {
            bytes = new byte[(int) Math.min(2 * LONGEST, file.length())];
            file.seek(file.length() - bytes.length);
            file.readFully(bytes);
        }
        String text = new String(bytes, UTF_8);
        int end = text.lastIndexOf("\n\n");
        int gap = end < 0 ? -1 : text.lastIndexOf("\n\n", end - 1);
        if (gap < 0) {
            return null;
        }
        int before = text.lastIndexOf("\n\n", gap - 1);
        String note = text.substring(before < 0 ? 0 : before + 2, end + 1);
        try {
            return Checkpoint.unverified(note.getBytes(UTF_8));
        } catch (LogException e) {
            return null;
        }
    }

    /// The next one, its signature unverified, or null at the end.
    @Nullable Checkpoint next() throws IOException {
        var note = new ByteArrayOutputStream();
        int gaps = 0;
        int before = 0;
        while (note.size() < LONGEST) {
            int c = in.read();
            if (c < 0) {
                return null; // also in the middle of one
            }
            if (c == '\n' && before == '\n') {
                gaps++;
                if (gaps == 2) {
                    return Checkpoint.unverified(note.toByteArray());
                }
            }
            note.write(c);
            before = c;
        }
        throw new LogException("the list of checkpoints is damaged");
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
