// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.AuditLog;
import dev.writ.core.capability.Scope;
import dev.writ.trust.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Events as JSON, one on a line, for other programs to read. Each has left this process when
/// [#append] returns. After a failure nothing more is written, so that no line is half of two.
public final class JsonLog implements AuditLog {
    private final Writer out;
    private final Scope scope;
    private @Nullable IOException failure; // guarded by this

    /// @param scope how paths are written
    public JsonLog(Writer out, Scope scope) {
        this.out = out;
        this.scope = scope;
    }

    @Override
    public synchronized void append(AuditEvent event) {
        if (failure == null) {
            try {
                out.write(Json.write(map(event)) + "\n");
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

    private Map<String, Object> map(AuditEvent event) {
        var map = new LinkedHashMap<String, Object>();
        map.put("at", event.at().toString());
        map.put("session", event.session().value());
        switch (event) {
            case AuditEvent.Judged judged -> {
                map.put("event", "judged");
                map.put("action", judged.action().text(scope));
                map.put("permitted", judged.permitted());
                map.put("code", judged.code());
                map.put("reason", judged.reason());
            }
            case AuditEvent.LimitReached reached -> {
                map.put("event", "limit");
                map.put("limit", reached.rule().capability().text(scope));
                map.put("source", reached.rule().source().toString());
                map.put("ended", reached.ended());
                map.put("times", reached.times());
            }
        }
        return map;
    }
}
