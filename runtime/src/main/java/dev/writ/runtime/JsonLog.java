// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.AuditLog;
import dev.writ.trust.Json;
import dev.writ.trust.event.Entry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Events as JSON (docs/events.md), one on a line, for other programs to read. Each has left this
/// process when [#append] returns. After a failure nothing more is written, so that no line is half
/// of two.
public final class JsonLog implements AuditLog {
    private final Writer out;
    private @Nullable IOException failure; // guarded by this

    public JsonLog(Writer out) {
        this.out = out;
    }

    @Override
    public synchronized void append(AuditEvent event) {
        if (failure == null) {
            try {
                out.write(Json.write(Entry.of(event).event().fields()) + "\n");
                out.flush();
                return;
            } catch (IOException e) {
                failure = e;
            }
        }
        throw new UncheckedIOException(failure);
    }

    /// What kept it from writing everything, if something did.
    public synchronized Optional<IOException> failure() {
        return Optional.ofNullable(failure);
    }
}
