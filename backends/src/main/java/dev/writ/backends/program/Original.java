// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import dev.writ.core.capability.FilePath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A file that other files may be copies of.
final class Original {
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

    /// What it takes to read a file.
    interface Reader {
        byte[] digest() throws IOException;
    }

    /// Whether the file with this id is a copy. What cannot be read, or is too long for that, is
    /// one if it is as long.
    boolean hasSameContents(FileId other, Reader reader) {
        if (id.size() != other.size()) {
            return false;
        }
        if (id.size() > Digests.MOST_READ) {
            return true;
        }
        try {
            return MessageDigest.isEqual(digest(), reader.digest());
        } catch (IOException _) {
            return true;
        }
    }

    private synchronized byte[] digest() throws IOException {
        if (digest == null) {
            digest = Digests.of(file);
        }
        return digest;
    }
}
