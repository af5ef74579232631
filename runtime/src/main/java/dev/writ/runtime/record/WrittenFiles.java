// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.record;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.SessionId;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Text;
import dev.writ.trust.event.Value;
import dev.writ.trust.file.RawPath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
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

    /// Says of each file what it is now.
    void look(Instant at, SessionId session, Consumer<AuditEvent> events) {
        synchronized (paths) {
            long left = MOST_BYTES;
            for (var path : paths) {
                var file = RawPath.of(Text.bytes(path.toString()));
                if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                    long size = file.toFile().length();
                    left -= size;
                    String sha256 = left >= 0 ? sha256(file) : "";
                    events.accept(new AuditEvent.FileWritten(at, session, path, size, sha256));
                }
            }
            paths.clear();
        }
    }

    /// Of what is in `file`; empty if it cannot be read.
    private static String sha256(Path file) {
        try (var in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            return Value.sha256(in);
        } catch (IOException e) {
            return "";
        }
    }
}
