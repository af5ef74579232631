// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.record;

import static dev.writ.kernel.FileCalls.AT_FDCWD;
import static dev.writ.kernel.FileCalls.RESOLVE_NO_SYMLINKS;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.SessionId;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Text;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.Libcrypto;
import dev.writ.trust.event.Value;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;

/// Which files a session was permitted to write, and what is in those that are there at the end. An
/// agent can make as many and as large ones as it likes, so there are bounds, and what lies beyond
/// them has no digest.
final class WrittenFiles {
    private static final int MOST_FILES = 20_000;
    private static final long MOST_BYTES = 256L << 20;

    private final Set<FilePath> paths = new LinkedHashSet<>(); // guarded by itself

    void note(Action action) {
        if (action instanceof Action.WriteFile(var path)) {
            synchronized (paths) {
                if (paths.size() < MOST_FILES) {
                    paths.add(path);
                }
            }
        }
    }

    /// Says of each file what it is now. Other sessions may be at work in the same folders: what is
    /// looked at is what is read, no link leads there, and nobody waits at a pipe.
    void look(Instant at, SessionId session, Consumer<AuditEvent> events) {
        synchronized (paths) {
            if (paths.isEmpty()) {
                return;
            }
            try (var kernel = new Kernel()) {
                var files = new FileCalls(kernel);
                long left = MOST_BYTES;
                for (var path : paths) {
                    byte[] name = Text.bytes(path.toString());
                    int handle = files.find(AT_FDCWD, name, false, RESOLVE_NO_SYMLINKS);
                    try {
                        if (handle >= 0 && files.look(handle) == 0 && isFile(files.mode())) {
                            long size = files.size();
                            left -= size;
                            String sha256 = left >= 0 ? sha256(files, handle, size) : "";
                            events.accept(
                                    new AuditEvent.FileWritten(at, session, path, size, sha256));
                        }
                    } finally {
                        files.close(handle);
                    }
                }
            }
            paths.clear();
        }
    }

    private static boolean isFile(int mode) {
        return (mode & FileCalls.S_IFMT) == FileCalls.S_IFREG;
    }

    /// Of what was in the file when it was looked at, whatever has been added since; empty if it
    /// cannot be read.
    private static String sha256(FileCalls files, int handle, long size) {
        var library = Libcrypto.find();
        if (library.isEmpty()) {
            return sha256(handle, size);
        }
        int file = files.reopen(handle, 0);
        if (file < 0) {
            return "";
        }
        try {
            return HexFormat.of().formatHex(library.get().sha256(file, size));
        } finally {
            files.close(file);
        }
    }

    private static String sha256(int handle, long size) {
        try (var in = Files.newInputStream(Path.of("/proc/self/fd/" + handle))) {
            return Value.sha256(in, size);
        } catch (IOException e) {
            return "";
        }
    }
}
