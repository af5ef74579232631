// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import dev.writ.core.capability.FilePath;
import dev.writ.core.digest.Sha256;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A file that other files may be copies of.
final class Original {
    /// Longer files are not read: there the same length is enough to be a copy.
    static final long MOST_READ = 256L << 20;

    private final FilePath path;
    private final Path file;
    private final FileId id;
    private byte @Nullable [] digest;

    private Original(FilePath path, Path file, FileId id) {
        this.path = path;
        this.file = file;
        this.id = id;
    }

    /// The regular file that `path` leads to, if there is one.
    static Optional<Original> at(FilePath path) {
        var file = RawText.path(path.toString());
        try {
            return Files.isRegularFile(file)
                    ? Optional.of(new Original(path, file, FileId.of(file)))
                    : Optional.empty();
        } catch (IOException _) {
            return Optional.empty();
        }
    }

    FilePath path() {
        return path;
    }

    boolean isSameFile(FileId other) {
        return id.isSameFile(other);
    }

    /// Whether the file with this id and these contents is a copy. What cannot be read is one if it
    /// is as long.
    boolean hasSameContents(FileId other, Path contents) {
        if (id.size() != other.size()) {
            return false;
        }
        if (id.size() > MOST_READ) {
            return true;
        }
        try {
            return MessageDigest.isEqual(digest(), digest(contents));
        } catch (IOException _) {
            return true;
        }
    }

    private synchronized byte[] digest() throws IOException {
        if (digest == null) {
            digest = digest(file);
        }
        return digest;
    }

    private static byte[] digest(Path contents) throws IOException {
        try (var in = new DigestInputStream(Contents.stream(contents), Sha256.begin())) {
            byte[] buffer = new byte[1 << 16];
            long rest = MOST_READ;
            int read;
            while (rest > 0 && (read = in.read(buffer)) >= 0) {
                rest -= read;
            }
            return in.getMessageDigest().digest();
        }
    }
}
