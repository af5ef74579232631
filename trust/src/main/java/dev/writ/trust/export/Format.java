// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.export;

import dev.writ.trust.Json;
import dev.writ.trust.event.Event;
import java.util.Locale;

/// How events are given to other programs.
public enum Format {
    /// As they are.
    JSONL,
    /// For what collects security events.
    OCSF,
    /// For what collects telemetry.
    OTLP;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// One line, without its end.
    public String line(Event event) {
        return Json.write(
                switch (this) {
                    case JSONL -> event.fields();
                    case OCSF -> Ocsf.of(event);
                    case OTLP -> Otlp.of(event);
                });
    }
}
