// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.oracle;

import dev.writ.core.digest.Sha256;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.TimeUnit;

/// How a file looks from the host at one moment.
///
/// @param content the hash of a regular file, the kind of anything else, nothing if it is not there
public record FileState(String content, int mode, long modifiedNanos) {
    private static final FileState ABSENT = new FileState("", 0, 0);

    /// Looks at `path` itself, never at what a link there leads to.
    public static FileState of(Path path) {
        try {
            BasicFileAttributes found =
                    Files.readAttributes(
                            path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            int mode = (Integer) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
            return new FileState(
                    found.isRegularFile() ? hash(path) : "not a file",
                    mode,
                    found.lastModifiedTime().to(TimeUnit.NANOSECONDS));
        } catch (NoSuchFileException e) {
            return ABSENT;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String hash(Path path) throws IOException {
        return Sha256.hex(Files.readAllBytes(path));
    }
}
