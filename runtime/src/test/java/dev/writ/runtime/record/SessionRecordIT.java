// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.record;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.writ.core.audit.AuditLog;
import dev.writ.core.audit.SessionId;
import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Source;
import dev.writ.runtime.Config;
import dev.writ.runtime.SessionNames;
import dev.writ.runtime.Writ;
import dev.writ.runtime.policy.PolicyLoader;
import dev.writ.trust.attest.Attestation;
import dev.writ.trust.event.Event;
import dev.writ.trust.event.EventKind;
import dev.writ.trust.key.Keys.Purpose;
import dev.writ.trust.log.LogReader;
import dev.writ.trust.log.LogVerifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What happens in a session is in its record, or does not happen.
@Timeout(120)
class SessionRecordIT {
    @TempDir Path temporary;
    private Path folder;
    private Installation installation;

    @BeforeEach
    void given() throws IOException {
        folder = Files.createDirectory(temporary.toRealPath().resolve("w"));
        installation = new Installation(temporary.toRealPath().resolve("state"));
    }

    private Policy policy() {
        var config =
                Config.of(
                        folder,
                        Map.of(
                                "PATH", "/usr/bin:/bin",
                                "HOME", "/nowhere",
                                "WRIT_HOME", installation.state().toString()));
        var here = FilePath.of(folder.toString());
        return new PolicyLoader(config.scope(here), config.ownFolders())
                .profile("workspace", Source.of("test"))
                .rule(Effect.DENY, "read:./secret", here)
                .load();
    }

    private SessionId run(String command) throws InterruptedException {
        var id = SessionNames.next();
        var record = new SessionRecord(installation, id, () -> "test");
        run(command, id, record);
        record.close();
        return id;
    }

    private String run(String command, SessionId id, AuditLog log) throws InterruptedException {
        var here = FilePath.of(folder.toString());
        try (var session = new Writ(Map.of()).open(policy(), here, id, "test", log)) {
            var outcome = session.run(List.of("/bin/sh", "-c", command));
            return outcome.output() + outcome.errors();
        }
    }

    private List<Event> events(Path log) {
        var all = new ArrayList<Event>();
        var reader = new LogReader(log, 0);
        for (byte[] entry = reader.next(); entry != null; entry = reader.next()) {
            all.add(Event.read(entry));
        }
        return all;
    }

    private List<EventKind> kinds(SessionId id) {
        return events(installation.log(id)).stream().flatMap(e -> e.kind().stream()).toList();
    }

    @Test
    void a_session_is_recorded_from_its_beginning_to_its_end() throws Exception {
        Files.writeString(folder.resolve("secret"), "Canary");
        var id = run("echo x > made; cat secret");

        var origin = Installation.origin(id);
        var verified = LogVerifier.verify(installation.log(id), installation.verifying(origin));
        assertThat(verified.unsigned()).isZero();
        assertThat(kinds(id))
                .startsWith(EventKind.OPENED)
                .endsWith(EventKind.CLOSED)
                .contains(EventKind.STARTED, EventKind.EXITED, EventKind.WRITTEN);
        assertThat(events(installation.log(id)))
                .anyMatch(e -> e.text("action").contains("secret") && !e.is("permitted"))
                .anyMatch(
                        e ->
                                e.text("path").endsWith("/made")
                                        && e.text("sha256").startsWith("73cb3858a687a849"));
        assertThat(events(installation.log()))
                .filteredOn(e -> e.session().equals(id.value()))
                .extracting(e -> e.text("checkpoint").isEmpty())
                .containsExactly(true, false);
    }

    @Test
    void the_attestation_says_what_happened_and_where_that_stands() throws Exception {
        var id = run("echo x > made; exit 3");

        var key = installation.keys().verifying(Purpose.ATTEST, Installation.ATTESTER).getFirst();
        var attestation =
                Attestation.verify(Files.readAllBytes(installation.attestation(id)), key::verifies);
        assertThat(attestation.predicate().toString())
                .contains("exitCode=3", "outcome=failed", Installation.origin(id));
        assertThat(attestation.files()).extracting("name").containsExactly("made");
        assertThat(attestation.files().getFirst().difference(folder)).isEmpty();
        Files.writeString(folder.resolve("made"), "y\n");
        assertThat(attestation.files().getFirst().difference(folder)).isPresent();
    }

    @Test
    void a_credential_in_a_command_is_not_in_the_record() throws Exception {
        var id = run("env true --password hunter2hunter2 'Authorization: Bearer abcdefghijk'");

        var raw = new StringBuilder();
        try (var files = Files.walk(installation.log(id))) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                if (!file.endsWith("disclosures.jsonl")) {
                    raw.append(
                            Files.readString(file, java.nio.charset.StandardCharsets.ISO_8859_1));
                }
            }
        }
        assertThat(raw.toString()).doesNotContain("hunter2", "abcdefghijk").contains("hidden");
        assertThat(installation.log(id).resolve("disclosures.jsonl"))
                .content()
                .contains("hunter2hunter2");
    }

    @Test
    void nothing_runs_that_cannot_be_recorded() throws Exception {
        Files.writeString(installation.state(), "not a folder");

        assertThatThrownBy(() -> run("echo x > made"))
                .isInstanceOf(RecordException.class)
                .hasMessageContaining("nothing may happen that cannot be recorded")
                .hasMessageContaining("WRIT_HOME");
        assertThat(folder.resolve("made")).doesNotExist();
    }

    @Test
    void what_cannot_be_recorded_any_more_is_refused() throws Exception {
        var id = SessionNames.next();
        var record = new SessionRecord(installation, id, () -> "test");
        AuditLog failing =
                event -> {
                    if (Files.exists(folder.resolve("first"))) {
                        throw new IllegalStateException("no space is left");
                    }
                    record.append(event);
                };
        assertThatThrownBy(() -> run("echo x > first; echo x > second", id, failing))
                .hasMessageContaining("no space is left");

        assertThat(folder.resolve("first")).exists();
        assertThat(folder.resolve("second")).doesNotExist();
    }

    /// A writer that is killed at any moment: each file that it could make is in the record.
    @Test
    void what_has_happened_is_in_the_record_however_it_ends() throws Exception {
        for (int i = 0; i < 5; i++) {
            var writer =
                    new ProcessBuilder(
                                    Path.of(System.getProperty("java.home"), "bin/java").toString(),
                                    "--enable-native-access=ALL-UNNAMED",
                                    "-cp",
                                    System.getProperty("java.class.path")
                                            + ":"
                                            + System.getProperty("jdk.module.path", "")
                                            + ":target/test-classes",
                                    Killed.class.getName(),
                                    folder.toString(),
                                    installation.state().toString())
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
            var name = new String(writer.getInputStream().readNBytes(24), UTF_8);
            var made = folder.resolve("made-" + (3 + 7 * i));
            for (int n = 0; n < 6000 && !Files.exists(made); n++) {
                Thread.sleep(10);
            }
            assertThat(made).exists();
            writer.destroyForcibly().waitFor();
            var id = new SessionId(name);

            var recorded =
                    events(installation.log(id)).stream()
                            .filter(e -> e.is("permitted"))
                            .map(e -> e.text("action"))
                            .toList();
            try (var files = Files.list(folder)) {
                for (var file : files.toList()) {
                    assertThat(recorded).anyMatch(a -> a.equals("write:" + file));
                    Files.delete(file);
                }
            }
            assertThat(installation.attestation(id)).doesNotExist();

            assertThat(installation.finishOthers(() -> "test")).isEmpty();

            assertThat(kinds(id)).endsWith(EventKind.CLOSED);
            var end = events(installation.log(id)).getLast();
            assertThat(end.number("permitted")).isEqualTo(recorded.size());
            assertThat(end.get("exit")).isNull();
            var key =
                    installation.keys().verifying(Purpose.ATTEST, Installation.ATTESTER).getFirst();
            assertThat(
                            Attestation.verify(
                                            Files.readAllBytes(installation.attestation(id)),
                                            key::verifies)
                                    .predicate()
                                    .toString())
                    .contains("outcome=incomplete");
        }
    }

    @Test
    void a_session_that_runs_is_not_finished_by_others() throws Exception {
        var id = SessionNames.next();
        var record = new SessionRecord(installation, id, () -> "test");
        run("true", id, record);

        assertThat(installation.finishOthers(() -> "test")).isEmpty();
        assertThat(installation.attestation(id)).doesNotExist();

        record.close();
        assertThat(installation.attestation(id)).exists();
    }

    /// Makes files until it is killed.
    static final class Killed {
        private Killed() {}

        public static void main(String[] words) throws Exception {
            var test = new SessionRecordIT();
            test.folder = Path.of(words[0]);
            test.installation = new Installation(Path.of(words[1]));
            var id = SessionNames.next();
            System.out.print(id);
            System.out.flush();
            test.run(
                    "i=0; while [ $i -lt 5000 ]; do i=$((i+1)); echo x > made-$i; done",
                    id,
                    new SessionRecord(test.installation, id, () -> "test"));
        }
    }
}
