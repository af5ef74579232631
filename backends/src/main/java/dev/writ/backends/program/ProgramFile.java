// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import dev.writ.core.capability.FilePath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// A file that is run.
///
/// @param path what the policy calls it. A file that has no place any more keeps the ` (deleted)`
/// that the kernel puts behind its last name, so that only a broad rule allows it.
/// @param contents where it can be read, also when it has no place any more
record ProgramFile(FilePath path, Path contents) {
    static final String DELETED = " (deleted)";
    private static final String IN_MEMORY = "/memfd:";

    /// The file that a link of `/proc`, such as `exe`, leads to.
    static ProgramFile behind(Path link) throws IOException {
        String text = RawText.of(Files.readSymbolicLink(link));
        if (text.startsWith("/") && leadsTo(text, FileId.of(link))) {
            return new ProgramFile(FilePath.of(text), link);
        }
        if (text.startsWith(IN_MEMORY)) {
            // Whoever made it chose its name: `x/../../usr/bin/ls` must not become a path.
            return new ProgramFile(
                    new FilePath(List.of(text.substring(1).replace('/', '_'))), link);
        }
        if (text.startsWith("/") && text.endsWith(DELETED)) {
            return new ProgramFile(FilePath.of(text), link);
        }
        throw new UnclearException("the file is not where the kernel says it is: `" + text + "`");
    }

    private static boolean leadsTo(String absolute, FileId file) {
        try {
            return FileId.of(RawText.path(absolute)).isSameFile(file);
        } catch (IOException _) {
            return false;
        }
    }

    /// The last segment of the path.
    String name() {
        return name(path);
    }

    static String name(FilePath path) {
        return path.segments().isEmpty() ? "" : path.segments().getLast();
    }

    /// The path that it had before it was deleted.
    Optional<FilePath> formerPath() {
        return name().endsWith(DELETED) && name().length() > DELETED.length()
                ? Optional.of(
                        path.parent()
                                .resolve(name().substring(0, name().length() - DELETED.length())))
                : Optional.empty();
    }
}
