// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.export;

import dev.writ.trust.event.Event;
import dev.writ.trust.event.EventKind;
import dev.writ.trust.event.EventLine;
import dev.writ.trust.event.Value;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Events as log records of OpenTelemetry, in the JSON of OTLP/HTTP: each line can be sent to
/// `/v1/logs` as it is. The `gen_ai.*` names are still in development; they are used here only.
final class Otlp {
    private static final String CONVERSATION = "gen_ai.conversation.id";
    private static final String OPERATION = "gen_ai.operation.name";
    private static final String TOOL = "gen_ai.tool.name";
    private static final long INFO = 9;
    private static final long WARN = 13;

    private Otlp() {}

    static Map<String, Object> of(Event event) {
        boolean refused =
                event.kind().filter(k -> k == EventKind.JUDGED).isPresent()
                        && !event.is("permitted");
        var record =
                Map.of(
                        "timeUnixNano", nanos(event),
                        "observedTimeUnixNano", nanos(event),
                        "severityNumber", refused ? WARN : INFO,
                        "severityText", refused ? "WARN" : "INFO",
                        "eventName", "writ." + event.word(),
                        "body", Map.of("stringValue", EventLine.of(event)),
                        "attributes", attributes(event));
        return Map.of(
                "resourceLogs",
                List.of(
                        Map.of(
                                "resource",
                                Map.of("attributes", List.of(attribute("service.name", "writ"))),
                                "scopeLogs",
                                List.of(
                                        Map.of(
                                                "scope",
                                                Map.of("name", "dev.writ", "version", "1"),
                                                "logRecords",
                                                List.of(record))))));
    }

    /// 64-bit numbers are texts in this JSON.
    private static String nanos(Event event) {
        var at = Duration.between(Instant.EPOCH, event.at());
        return at.toSeconds() + String.format("%09d", at.toNanosPart());
    }

    private static List<Object> attributes(Event event) {
        var out = new ArrayList<>();
        out.add(attribute(CONVERSATION, event.session()));
        String action = event.text("action");
        boolean tool = action.startsWith("tool:");
        out.add(attribute(OPERATION, tool ? "execute_tool" : "invoke_agent"));
        if (tool) {
            out.add(attribute(TOOL, action.substring("tool:".length())));
        }
        event.fields()
                .forEach(
                        (name, value) -> {
                            if (!name.equals("at") && !name.equals("session")) {
                                out.add(attribute("writ." + name, value));
                            }
                        });
        return out;
    }

    private static Map<String, Object> attribute(String name, @Nullable Object value) {
        return Map.of("key", name, "value", value(value));
    }

    private static Map<String, Object> value(@Nullable Object value) {
        return switch (value) {
            case Boolean truth -> Map.of("boolValue", truth);
            case Long number -> Map.of("intValue", number.toString());
            case List<?> list ->
                    Map.of("arrayValue", Map.of("values", list.stream().map(Otlp::value).toList()));
            case null, default -> Map.of("stringValue", Value.shown(value));
        };
    }
}
