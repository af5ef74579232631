// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.attest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.capability.FilePath;
import dev.writ.trust.Json;
import dev.writ.trust.event.Entry;
import dev.writ.trust.event.Event;
import dev.writ.trust.event.Mutation;
import dev.writ.trust.event.Samples;
import dev.writ.trust.event.Value;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AttestationTest {
    private static final Ed25519 KEY = new Ed25519();
    private static final AgentRun.LogRange LOG =
            new AgentRun.LogRange(
                    "writ.example/log", 0, 14, "writ.example/log\n15\nroot\n\n\u2014 sig\n");

    @Test
    void what_was_signed_is_what_is_read() {
        var attested = Attestation.verify(bundle(), KEY);

        assertThat(attested.predicate().get("run"))
                .isEqualTo(
                        Map.of(
                                "id", "run-7-1",
                                "startedOn", "2026-01-02T03:04:05.678Z",
                                "finishedOn", "2026-01-02T03:04:08.678Z",
                                "outcome", "completed",
                                "exitCode", 0L));
        assertThat(attested.predicate().get("counts"))
                .isEqualTo(Map.of("permitted", 2L, "refused", 1L, "asked", 1L, "processes", 1L));
        assertThat(Json.write(attested.predicate().get("answers")))
                .contains("anna at the terminal", "\"term\": \"session\"");
        assertThat(Json.write(attested.predicate().get("refused"))).contains("read:/p/.env");
        assertThat(Json.write(attested.predicate().get("egress")))
                .contains("https://api.github.com:443", "\"down\": 2000", "github");
        assertThat(attested.files()).extracting(WrittenFile::name).containsExactly("out.txt");
        assertThat(Attestation.hint(bundle())).isEqualTo("key1");
    }

    @Test
    void what_was_not_enforced_seen_or_listed_is_said() {
        assertThat(run(Samples.all()).gaps())
                .containsExactly(
                        new AgentRun.Gap(
                                "signals", "signals reach outside; accepted by --accept-weaker"),
                        new AgentRun.Gap("token", "`" + Samples.DIGEST + "` holds no more: anna"),
                        new AgentRun.Gap(
                                "reads", "decided by the kernel alone, so not recorded one by one"),
                        new AgentRun.Gap("signals", "not enforced: Landlock is too old"));
        assertThat(new Collector("run-7-1").run("0", Optional.empty()).gaps())
                .extracting(AgentRun.Gap::what)
                .containsExactly("beginning", "end", "log");
        var nothing = new Collector("run-7-1").run("0", Optional.empty());
        assertThatThrownBy(() -> Attestation.sign(nothing, "key1", KEY))
                .isInstanceOf(AttestationException.class)
                .hasMessageStartingWith("nothing can be attested about session `run-7-1`: ");
        var unread = run(List.of(Samples.written("/p/a", "")));
        assertThat(unread.gaps())
                .contains(new AgentRun.Gap("files", "the contents of 1 are not known"));
    }

    @Test
    void a_session_whose_end_nobody_saw_is_incomplete() {
        var run = run(Samples.all().subList(0, 6));
        assertThat(run.outcome()).isEqualTo("incomplete");
        assertThat(run.exitCode()).isEmpty();
        Attestation.verify(Attestation.sign(run, "key1", KEY), KEY);
    }

    @Test
    void an_agent_cannot_make_it_grow_without_bound_and_what_is_left_out_is_counted() {
        var collector = new Collector("run-7-1");
        collector.add(Event.of(Samples.all().getFirst()));
        for (int i = 0; i < 12_000; i++) {
            collector.add(Event.of(Samples.judged("read:/p/" + i, false)));
            collector.add(Event.of(Samples.judged("read:/p/same", false)));
            collector.add(Event.of(Samples.written("/p/" + "x".repeat(400) + i, Samples.DIGEST)));
        }
        var run = collector.run("0", Optional.empty());
        byte[] bundle = Attestation.sign(run, "key1", KEY);

        assertThat(bundle.length).isLessThan(16 * 1024 * 1024);
        assertThat(run.counts().refused()).isEqualTo(24_000);
        assertThat(run.refused().listed()).hasSize(500);
        assertThat(run.refused().listed().get(1)).containsEntry("times", 12_000L);
        assertThat(run.refused().leftOut()).isEqualTo(12_000 - 499);
        assertThat(run.files().listed().size() + run.files().leftOut()).isEqualTo(12_000);
        assertThat(run.gaps())
                .contains(new AgentRun.Gap("refused", "11501 events are counted and not listed"));
        Attestation.verify(bundle, KEY);
    }

    @Test
    void events_of_other_sessions_and_from_the_future_are_not_taken_for_ours() {
        var collector = new Collector("other");
        Samples.all().forEach(e -> collector.add(Event.of(e)));
        collector.add(
                Event.read(
                        "{\"v\":1,\"at\":\"2026-01-02T03:04:05Z\",\"session\":\"other\",\"event\":\"flew\"}"
                                .getBytes(UTF_8)));
        var run = collector.run("0", Optional.empty());
        assertThat(run.counts()).isEqualTo(new AgentRun.Counts(0, 0, 0, 0));
        assertThat(run.gaps())
                .contains(new AgentRun.Gap("events", "1 are of kinds that are not known here"));
    }

    @Test
    void another_key_or_any_changed_part_is_refused() {
        assertThatThrownBy(() -> Attestation.verify(bundle(), new Ed25519()))
                .isInstanceOf(AttestationException.class)
                .hasMessage(
                        "the signature is not by this key, or something was changed after signing");
        for (var part : List.of("payload", "sig", "payloadType")) {
            assertThatThrownBy(() -> Attestation.verify(Tampering.flip(bundle(), part), KEY))
                    .as(part)
                    .isInstanceOf(AttestationException.class);
        }
    }

    @Test
    void what_is_signed_but_says_something_else_is_refused_with_the_reason() {
        refused("application/json", statement(), "the type of the payload");
        refused(null, "{}".getBytes(UTF_8), "not an in-toto statement");
        refused(null, "{".getBytes(UTF_8), "not JSON");
        refused(
                null,
                changed("predicateType", "https://slsa.dev/provenance/v1"),
                "the predicate must be");
        refused(null, changed("subject", List.of()), "the subjects are not");
        refused(null, changed("predicate", Map.of()), "`run.id` must be a text");
        refused(null, changed("predicate", List.of()), "`predicate` must be a JSON object");
        refused(null, changed("more", 1L), "not an in-toto statement");
    }

    @Test
    void a_name_that_is_not_known_in_the_predicate_is_passed_over() {
        var predicate = new HashMap<Object, Object>((Map<?, ?>) read().get("predicate"));
        predicate.put("newer", List.of(1L));
        var envelope =
                Envelope.sign(
                        "application/vnd.in-toto+json", changed("predicate", predicate), "k", KEY);
        assertThat(Attestation.verify(envelope.bundle(), KEY).predicate().get("newer"))
                .isEqualTo(List.of(1L));
    }

    @Test
    void the_predicate_is_as_its_schema_says() throws IOException {
        var schema =
                (Map<?, ?>)
                        Objects.requireNonNull(
                                Json.read(
                                        Files.readAllBytes(
                                                Path.of("../docs/agent-run-v0.1.schema.json")),
                                        1 << 20));
        var checker = new SchemaCheck(schema);
        for (var run :
                List.of(
                        run(Samples.all()),
                        run(Samples.all().subList(0, 6)),
                        run(Samples.all().subList(0, 1)))) {
            var predicate = Attestation.verify(Attestation.sign(run, "key1", KEY), KEY).predicate();
            assertThat(checker.problems(predicate)).isEmpty();
        }
        var wrong = new HashMap<Object, Object>((Map<?, ?>) read().get("predicate"));
        wrong.remove("gaps");
        wrong.put("counts", Map.of("permitted", -1L));
        assertThat(checker.problems(wrong))
                .contains(
                        "gaps is missing",
                        "counts.refused is missing",
                        "counts.permitted: minimum");
        SchemaCheck.map(schema.get("properties"))
                .keySet()
                .forEach(
                        name ->
                                assertThat(read().get("predicate"))
                                        .asInstanceOf(InstanceOfAssertFactories.MAP)
                                        .containsKey(name));
    }

    @Test
    void evidence_that_is_not_checked_here_is_refused() {
        for (var more :
                List.of(
                        "\"tlogEntries\":[],\"publicKey\"",
                        "\"certificate\":{},\"publicKey\"",
                        "\"timestampVerificationData\":{},\"publicKey\"")) {
            var text = new String(bundle(), UTF_8).replace("\"publicKey\"", more);
            assertThatThrownBy(() -> Attestation.verify(text.getBytes(UTF_8), KEY))
                    .hasMessage("not a bundle: `verificationMaterial` must have exactly publicKey");
        }
    }

    @Test
    void files_are_compared_with_what_the_session_left(@TempDir Path folder) throws IOException {
        String raw = "/p/caf\udce9";
        var events =
                List.of(
                        Samples.opened(List.of("make"), FilePath.of("/p")),
                        Samples.written("/p/same", Value.sha256("same".getBytes(UTF_8))),
                        Samples.written("/p/sub/changed", Value.sha256("before".getBytes(UTF_8))),
                        Samples.written("/p/gone", Samples.DIGEST),
                        Samples.written("/etc/outside", Samples.DIGEST),
                        Samples.written("/p/link", Samples.DIGEST),
                        Samples.written(raw, Samples.DIGEST));
        Files.writeString(folder.resolve("same"), "same");
        Files.createDirectory(folder.resolve("sub"));
        Files.writeString(folder.resolve("sub/changed"), "after");
        Files.createSymbolicLink(folder.resolve("link"), folder.resolve("same"));

        var files = Attestation.verify(Attestation.sign(run(events), "key1", KEY), KEY).files();

        assertThat(files)
                .extracting(f -> f.name() + ": " + f.difference(folder).orElse("as it was"))
                .containsExactly(
                        "same: as it was",
                        "sub/changed: has other contents",
                        "gone: is not there",
                        "/etc/outside: cannot be looked up: it lies outside of the folder",
                        "link: is not there",
                        "/p/caf\\u{dce9}: is not there");
    }

    @Test
    void random_and_mutated_bundles_are_refused_and_never_crash() {
        byte[] right = bundle();
        var payload = Envelope.read(right).payload();
        for (int seed = 0; seed < 3_000; seed++) {
            byte[] bytes = Mutation.of(right, new Random(seed));
            try {
                Attestation.verify(bytes, KEY);
                // Only what nothing depends on can be changed: white space, and who is said to have
                // signed.
                assertThat(Envelope.read(bytes).payload()).as("seed %d", seed).isEqualTo(payload);
            } catch (AttestationException e) {
                assertThat(e.getMessage()).as("seed %d", seed).isNotBlank();
            }
        }
    }

    @Test
    void mutated_statements_that_are_signed_never_crash() {
        byte[] right = statement();
        Verifier any = (_, _) -> true;
        for (int seed = 0; seed < 5_000; seed++) {
            var envelope =
                    new Envelope(
                            "application/vnd.in-toto+json",
                            Mutation.of(right, new Random(seed)),
                            "k",
                            new byte[64]);
            try {
                Attestation.verify(envelope.bundle(), any).files();
            } catch (AttestationException e) {
                assertThat(e.getMessage()).as("seed %d", seed).isNotBlank();
            }
        }
    }

    static byte[] bundle() {
        return Attestation.sign(run(Samples.all()), "key1", KEY);
    }

    static AgentRun run(List<? extends AuditEvent> events) {
        var collector = new Collector("run-7-1");
        events.forEach(e -> collector.add(Entry.of(e).event()));
        return collector.run("0.1.0", Optional.of(LOG));
    }

    private static byte[] statement() {
        return Envelope.read(bundle()).payload();
    }

    private static Map<?, ?> read() {
        return (Map<?, ?>) Objects.requireNonNull(Json.read(statement(), 1 << 24));
    }

    private static byte[] changed(String name, Object value) {
        var statement = new HashMap<Object, Object>(read());
        statement.put(name, value);
        return Json.canonical(statement);
    }

    private static void refused(@Nullable String type, byte[] payload, String why) {
        var envelope =
                Envelope.sign(
                        type == null ? "application/vnd.in-toto+json" : type, payload, "k", KEY);
        assertThatThrownBy(() -> Attestation.verify(envelope.bundle(), KEY))
                .isInstanceOf(AttestationException.class)
                .hasMessageStartingWith("signed, but not an attestation of a run: ")
                .hasMessageContaining(why);
    }
}
