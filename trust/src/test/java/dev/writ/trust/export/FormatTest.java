// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.export;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.json.JsonException;
import dev.writ.trust.Json;
import dev.writ.trust.event.Entry;
import dev.writ.trust.event.Event;
import dev.writ.trust.event.Mutation;
import dev.writ.trust.event.Samples;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FormatTest {
    private static final List<String> ACTIONS =
            List.of(
                    "read:/a",
                    "write:/a/b",
                    "exec:/usr/bin/git push",
                    "net:GET=https://api.github.com/repos",
                    "net:db.internal:5432",
                    "listen:127.0.0.1:80",
                    "unix:/run/x",
                    "env:HOME",
                    "secret:github@https://api.github.com",
                    "device:/dev/kvm",
                    "tool:mcp/github/create_issue");

    @Test
    void jsonl_has_the_very_values_of_the_record() {
        for (var event : events()) {
            assertThat(Event.read(Format.JSONL.line(event).getBytes(UTF_8))).isEqualTo(event);
        }
    }

    @Test
    void ocsf_has_no_name_and_no_type_that_the_schema_does_not_have() throws IOException {
        var schema = new OcsfSchema();
        for (var event : events()) {
            assertThat(schema.problems(read(Format.OCSF.line(event))))
                    .as(Format.OCSF.line(event))
                    .isEmpty();
        }
    }

    @Test
    void the_check_against_the_schema_sees_what_is_wrong() throws IOException {
        var schema = new OcsfSchema();
        String right = Format.OCSF.line(events().getFirst());
        for (var wrong :
                List.of(
                        right.replace("\"class_uid\": 6002", "\"class_uid\": 6999"),
                        right.replace("\"activity_id\": 3", "\"activity_id\": 50"),
                        right.replace("\"time\"", "\"tyme\""),
                        right.replace("\"vendor_name\"", "\"vendor\""),
                        right.replace("\"severity_id\": 1", "\"severity_id\": \"1\""))) {
            assertThat(wrong).isNotEqualTo(right);
            assertThat(schema.problems(read(wrong))).isNotEmpty();
        }
    }

    @Test
    void ocsf_says_what_the_control_did() {
        assertThat(Format.OCSF.line(Event.of(Samples.judged("read:/p/a", true))))
                .contains("\"class_uid\": 1001", "\"action_id\": 1, \"disposition_id\": 1");
        assertThat(Format.OCSF.line(Event.of(Samples.judged("read:/p/a", false))))
                .contains("\"type_uid\": 100102", "\"action_id\": 2, \"disposition_id\": 2");
        assertThat(Format.OCSF.line(Event.of(Samples.egress("GET", "/", 200))))
                .contains("\"type_uid\": 400203", "\"bytes_out\": 100");
    }

    @Test
    void otlp_is_a_request_to_a_collector_of_logs() {
        var tool = read(Format.OTLP.line(Event.of(Samples.judged("tool:send_email", false))));
        String text = Json.write(tool);
        assertThat(tool.keySet().toString()).isEqualTo("[resourceLogs]");
        assertThat(text)
                .contains(
                        "\"timeUnixNano\": \"1767323045678000000\"",
                        "\"severityNumber\": 13",
                        "gen_ai.conversation.id",
                        "execute_tool",
                        "gen_ai.tool.name",
                        "\"stringValue\": \"send_email\"",
                        "\"boolValue\": false");
        for (var event : events()) {
            assertThat(read(Format.OTLP.line(event)).get("resourceLogs")).isNotNull();
        }
    }

    @Test
    void every_line_is_one_line_that_cannot_draw() {
        for (var event : events()) {
            for (var format : Format.values()) {
                assertThat(format.line(event)).matches("[ -~]+");
            }
        }
    }

    @Test
    void whatever_can_be_read_can_be_exported() throws IOException {
        var schema = new OcsfSchema();
        var events = events();
        for (int seed = 0; seed < 10_000; seed++) {
            var random = new Random(seed);
            byte[] right = events.get(random.nextInt(events.size())).canonical();
            Event event;
            try {
                event = Event.read(Mutation.of(right, random));
            } catch (JsonException e) {
                continue; // not an event any more
            }
            for (var format : Format.values()) {
                assertThat(read(format.line(event))).as("seed %d", seed).isNotEmpty();
            }
            assertThat(schema.problems(read(Format.OCSF.line(event))))
                    .as("seed %d", seed)
                    .isEmpty();
        }
    }

    private static List<Event> events() {
        var events = new ArrayList<AuditEvent>(Samples.all());
        for (var action : ACTIONS) {
            events.add(Samples.judged(action, true));
            events.add(Samples.judged(action, false));
        }
        events.add(Samples.written("/p/\u001b[2J\n\u009b\u202e", Samples.DIGEST));
        events.add(Samples.written("/p/\udcff", ""));
        events.add(Samples.egress("", "", 0));
        events.add(Samples.egress("BREW", "/pot", 418));
        var out = new ArrayList<>(events.stream().map(e -> Entry.of(e).event()).toList());
        out.add(
                Event.read(
                        "{\"v\":9,\"at\":\"2026-01-02T03:04:05Z\",\"session\":\"s\",\"event\":\"flew\",\"x\":null}"
                                .getBytes(UTF_8)));
        return out;
    }

    private static Map<?, ?> read(String line) {
        return (Map<?, ?>) Objects.requireNonNull(Json.read(line.getBytes(UTF_8), 1 << 20));
    }
}
