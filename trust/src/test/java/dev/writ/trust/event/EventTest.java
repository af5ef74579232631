// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.event;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.json.JsonException;
import dev.writ.trust.Json;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

class EventTest {
    @Test
    void a_digest_comes_to_an_end_where_what_is_read_does_not() throws IOException {
        var endless =
                new InputStream() {
                    @Override
                    public int read() {
                        return 'x';
                    }
                };

        assertThat(Value.sha256(endless, 100_000))
                .isEqualTo(Value.sha256("x".repeat(100_000).getBytes(UTF_8)));
        assertThat(Value.sha256(new ByteArrayInputStream("ab".getBytes(UTF_8)), 100))
                .isEqualTo(Value.sha256("ab".getBytes(UTF_8)));
    }

    @Test
    void every_kind_of_event_comes_back_as_it_was() {
        for (var event : Samples.all()) {
            var written = Entry.of(event).event();
            var read = Event.read(written.canonical());
            assertThat(read).isEqualTo(written);
            assertThat(read.canonical()).isEqualTo(written.canonical());
            assertThat(Event.read(Json.write(written.fields()).getBytes(UTF_8))).isEqualTo(read);
        }
    }

    /// What could not be read again would make the whole record look forged.
    @Test
    void a_clock_that_nobody_could_read_again_is_not_written_down() {
        for (var at :
                List.of(
                        Instant.EPOCH.minusNanos(1),
                        Instant.parse("9999-12-31T23:59:59.999999999Z").plusNanos(1),
                        Instant.MIN,
                        Instant.MAX)) {
            var event = new AuditEvent.FileWritten(at, Samples.SESSION, FilePath.of("/p/x"), 5, "");
            assertThatThrownBy(() -> Entry.of(event))
                    .isInstanceOf(DateTimeException.class)
                    .hasMessageContaining("the clock says");
        }
    }

    @Test
    void the_samples_have_every_kind_and_the_documentation_every_field() throws Exception {
        var documented = Files.readString(Path.of("../docs/events.md"));
        assertThat(Samples.all())
                .extracting(e -> Event.of(e).kind().orElseThrow())
                .contains(EventKind.values());
        for (var event : Samples.all()) {
            var form = Event.of(event);
            assertThat(documented).contains("| `" + form.word() + "` |");
            form.fields().keySet().forEach(f -> assertThat(documented).contains("`" + f + "`"));
        }
    }

    @Test
    void a_verdict_has_its_rule_and_where_that_stands() {
        assertThat(Json.write(Event.of(Samples.judged("read:/p/.env", false)).fields()))
                .isEqualTo(
                        "{\"v\": 1, \"at\": \"2026-01-02T03:04:05.678Z\", \"session\": \"run-7-1\", \"event\": \"judged\", \"action\": \"read:/p/.env\", \"permitted\": false, \"rule\": \"read:/p\", \"source\": \"writ.yaml:4:5\", \"code\": \"policy.denied\", \"reason\": \"denied by `read:/p` (writ.yaml:4:5)\"}");
    }

    @Test
    void bytes_that_are_no_text_survive_and_can_be_read() {
        var event = Event.of(Samples.written("/p/caf\udce9\u001b[2J", ""));
        var read = Event.read(event.canonical());

        assertThat(read.get("path"))
                .isEqualTo(
                        Map.of(
                                "base64",
                                Base64.getEncoder()
                                        .encodeToString(
                                                "/p/caf\u00e9\u001b[2J".getBytes(ISO_8859_1)),
                                "shown",
                                "/p/caf\\u{dce9}\\u{1b}[2J"));
        assertThat(read.text("path")).isEqualTo("/p/caf\\u{dce9}\\u{1b}[2J");
    }

    @Test
    void two_names_never_become_one() {
        var names =
                List.of("/p/\udce9", "/p/\\u{dce9}", "/p/\u00e9", "/p/\udcc3\udca9", "/p/\ufffd");
        assertThat(
                        names.stream()
                                .map(
                                        n ->
                                                new String(
                                                        Event.of(Samples.written(n, ""))
                                                                .canonical(),
                                                        UTF_8))
                                .collect(Collectors.toSet()))
                .hasSize(names.size());
    }

    @Test
    void no_event_is_longer_than_allowed_and_nothing_is_lost_silently() {
        String long1 = "a".repeat(50_000) + "\u001b\"\\\u20ac\udc80";
        String controls = "\u0001".repeat(9_000);
        var path = FilePath.of("/" + "n\"".repeat(5_000) + "/" + controls);
        for (var event :
                List.of(
                        Samples.opened(List.of(long1, controls), path),
                        Samples.egress(controls, long1, 200),
                        judged(new Action.StartProgram(path, List.of(long1, controls))),
                        judged(new Action.WriteFile(path)))) {
            var entry = Entry.of(event).event();
            assertThat(entry.canonical().length).isLessThanOrEqualTo(Event.MOST_BYTES);
            assertThat(Event.read(entry.canonical())).isEqualTo(entry);
        }
        var command = Entry.of(Samples.opened(List.of(long1), FilePath.of("/p"))).event();
        assertThat(command.get("command"))
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsOnlyKeys("bytes", "sha256", "head", "tail")
                .containsEntry("sha256", Value.sha256(Json.canonical(List.of(Value.of(long1)))))
                .hasEntrySatisfying("head", h -> assertThat(h.toString()).startsWith("aaaa"))
                .hasEntrySatisfying("tail", t -> assertThat(t.toString()).endsWith("\\u{dc80}"));
    }

    @Test
    void the_longest_path_that_a_system_can_hold_is_kept_whole() {
        String path = "/" + "a".repeat(4095);
        assertThat(Entry.of(Samples.written(path, "")).event().get("path")).isEqualTo(path);
    }

    @Test
    void the_digest_of_a_long_text_is_that_of_its_bytes() {
        String path = "/" + "a".repeat(9_000);
        assertThat(Entry.of(Samples.written(path, "")).event().get("path"))
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsEntry("bytes", 9_001L)
                .containsEntry("sha256", Value.sha256(path.getBytes(UTF_8)));
    }

    @Test
    void a_secret_is_committed_to_and_can_be_disclosed_or_deleted() {
        Secrecy secrecy = (kind, field, _) -> kind == EventKind.OPENED && field.equals("command");
        var opened = Samples.opened(List.of("login", "hunter2"), FilePath.of("/p"));

        var entry = Entry.of(opened, secrecy, new SecureRandom());
        var other = Entry.of(opened, secrecy, new SecureRandom());
        var read = Event.read(entry.event().canonical());

        // without it, the secret is there for everybody
        assertThat(new String(Entry.of(opened).event().canonical(), UTF_8)).contains("hunter2");
        assertThat(new String(read.canonical(), UTF_8)).doesNotContain("hunter2");
        assertThat(EventLine.of(read)).doesNotContain("hunter2").contains("(hidden)");
        assertThat(entry.disclosures().toString()).doesNotContain("hunter2");
        assertThat(entry.event()).isNotEqualTo(other.event()); // so it cannot be guessed
        var disclosed = Disclosure.read(entry.disclosures().getFirst().line().getBytes(UTF_8));
        assertThat(disclosed.value()).isEqualTo(List.of("login", "hunter2"));
        assertThat(disclosed.belongsTo(read)).isTrue();
        assertThat(disclosed.belongsTo(other.event())).isFalse();
        assertThat(new Disclosure("command", disclosed.salt(), List.of("login")).belongsTo(read))
                .isFalse();
        assertThat(new Disclosure("folder", disclosed.salt(), disclosed.value()).belongsTo(read))
                .isFalse();
    }

    @Test
    void a_changed_disclosure_is_refused() {
        var entry =
                Entry.of(
                        Samples.all().getFirst(),
                        (_, f, _) -> f.equals("folder"),
                        new SecureRandom());
        String line = entry.disclosures().getFirst().line();

        assertThatThrownBy(() -> Disclosure.read(line.replace("\"/p\"", "\"/q\"").getBytes(UTF_8)))
                .isInstanceOf(JsonException.class)
                .hasMessageContaining("do not give `hidden`");
    }

    @Test
    void nothing_can_hide_when_and_where_it_happened() {
        var entry = Entry.of(Samples.all().getFirst(), (_, _, _) -> true, new SecureRandom());
        assertThat(Event.read(entry.event().canonical()).kind()).contains(EventKind.OPENED);
        assertThat(entry.event().canonical().length).isLessThanOrEqualTo(Event.MOST_BYTES);
    }

    @Test
    void an_event_from_the_future_is_shown() {
        for (var json :
                List.of(
                        "{\"v\":1,\"at\":\"2026-01-02T03:04:05Z\",\"session\":\"s\",\"event\":\"levitated\",\"height\":[1,null,{\"a\":true}]}",
                        "{\"v\":2,\"at\":\"2026-01-02T03:04:05Z\",\"session\":\"s\",\"event\":\"judged\",\"height\":3}")) {
            var event = Event.read(json.getBytes(UTF_8));
            assertThat(event.kind()).isEmpty();
            assertThat(EventLine.of(event)).contains("height");
        }
    }

    @Test
    void what_is_no_event_says_why() {
        for (var json :
                List.of(
                        "[]",
                        "null",
                        "{}",
                        "{\"v\":0}",
                        "{\"v\":1,\"at\":\"yesterday\",\"session\":\"s\",\"event\":\"e\"}",
                        "{\"v\":1,\"at\":\"+999999999-01-01T00:00:00Z\",\"session\":\"s\",\"event\":\"e\"}",
                        "{\"v\":1,\"at\":\"2026-01-02T03:04:05Z\",\"session\":7,\"event\":\"e\"}")) {
            assertThatThrownBy(() -> Event.read(json.getBytes(UTF_8)))
                    .isInstanceOf(JsonException.class)
                    .hasMessageStartingWith("not an event: ");
        }
    }

    @Test
    void the_line_for_people_cannot_draw() {
        var event = judged(new Action.ReadFile(FilePath.of("/p/\u001b[2J\r\n\u202e\udc9b")));
        assertThat(EventLine.of(Event.of(event)))
                .isEqualTo(
                        "2026-01-02T03:04:05.678Z  run-7-1  refused  read:/p/\\u{1b}\\[2J\\u{d}\\u{a}\\u{202e}\\u{dc9b}  no rule allows it");
        for (var sample : Samples.all()) {
            assertThat(EventLine.of(Event.of(sample)))
                    .startsWith("2026-01-02T03:04:0")
                    .contains("  run-7-1  ");
        }
    }

    @Test
    void an_anchor_says_how_much_of_what_was_signed() {
        var anchored = Event.of(Samples.all().getLast());
        assertThat(EventLine.of(anchored)).endsWith("  anchored  16 entries of writ/log/run-7-1");
        assertThat(anchored.text("checkpoint")).startsWith("writ/log/run-7-1\n16\n");
    }

    @Test
    void no_name_can_pass_for_another_column() {
        var event = judged(new Action.ReadFile(FilePath.of("/p/x  allowed by `read:/`   ")));
        assertThat(EventLine.of(Event.of(event)).split("  ", -1)).hasSize(5);
    }

    @Test
    void mutated_events_are_read_or_refused_and_never_crash() {
        for (int seed = 0; seed < 20_000; seed++) {
            var random = new Random(seed);
            var sample = Samples.all().get(random.nextInt(Samples.all().size()));
            byte[] bytes = Mutation.of(Event.of(sample).canonical(), random);
            try {
                EventLine.of(Event.read(bytes));
            } catch (JsonException e) {
                assertThat(e).hasMessageMatching("(not |too long)(?s:.*)");
            }
        }
    }

    private static AuditEvent judged(Action action) {
        return new AuditEvent.Judged(
                Samples.AT,
                Samples.SESSION,
                action,
                false,
                Optional.empty(),
                "policy.denied",
                "no rule allows it");
    }
}
