// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import static dev.writ.cli.Recordings.judged;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.SessionId;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.runtime.record.Installation;
import dev.writ.trust.event.Entry;
import dev.writ.trust.event.Value;
import dev.writ.trust.log.Durability;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The verbs about the record, on records as runs leave them and as somebody may have changed them.
class RecordTest {
    private static final String FIRST = "20260102-030405-a";
    private static final String SECOND = "20260102-040506-b";

    @TempDir Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private Installation installation = new Installation(Path.of("/"));
    private Recordings recordings = new Recordings(installation);

    @BeforeEach
    void record() throws IOException {
        folder = folder.toRealPath();
        installation = new Installation(folder.resolve("home"));
        recordings = new Recordings(installation);
        recordings.run(
                FIRST,
                judged(FIRST, "read:/p/Makefile", true),
                judged(FIRST, "read:/p/.env", false),
                judged(FIRST, "net:GET=https://api.github.com/repos", false),
                judged(FIRST, "exec:/usr/bin/git push", true));
        recordings.run(SECOND, judged(SECOND, "write:/q/x", true));
    }

    @Test
    void all_sessions_are_shown_oldest_first_and_each_entry_can_be_named() {
        assertThat(writ("log")).isZero();

        assertThat(output().lines()).hasSize(9);
        assertThat(output().lines().toList().get(2))
                .isEqualTo(
                        "2026-01-02T03:04:05.678Z  20260102-030405-a:2  refused    read:/p/.env  no rule allows it");
        assertThat(output().lines().toList().getLast())
                .startsWith("2026-01-02T03:04:05.678Z  20260102-040506-b:2  completed  exit 0");
    }

    @Test
    void a_session_is_named_by_its_beginning_or_as_the_last() {
        assertThat(lines("log", "last")).hasSize(3).allMatch(l -> l.contains(SECOND));
        assertThat(lines("log", "20260102-03")).hasSize(6).allMatch(l -> l.contains(FIRST));
        assertThat(lines("log", FIRST)).hasSize(6);
        assertThat(writ("log", "2026")).isEqualTo(125);
        assertThat(errors()).contains("2 sessions begin with `2026`");
        assertThat(writ("log", "nobody\u001b[2J")).isEqualTo(125);
        assertThat(errors()).contains("no session begins with").doesNotContain("\u001b");
    }

    @Test
    void filters_leave_what_is_asked_for() {
        assertThat(lines("log", "--verdict", "refused")).hasSize(2);
        assertThat(lines("log", "--verdict", "permitted")).hasSize(3);
        assertThat(lines("log", "--kind", "opened", "--kind=closed")).hasSize(4);
        assertThat(lines("log", "--path", "/p")).hasSize(2);
        assertThat(lines("log", "--path", "/**/.env")).hasSize(1);
        assertThat(lines("log", "--path", "/usr/bin/*")).hasSize(1);
        assertThat(lines("log", "--host", "api.github.com")).hasSize(1);
        assertThat(lines("log", "--host", "*.github.com")).hasSize(1);
        assertThat(lines("log", "--host", "github.com")).isEmpty();
        assertThat(lines("log", "--since", "2026-01-02")).hasSize(9);
        assertThat(lines("log", "--since", "2026-01-02T03:04:06Z")).isEmpty();
        assertThat(lines("log", "-n", "4").getFirst()).contains(FIRST + ":5");
        assertThat(lines("log", "-n", "4")).hasSize(4);
        assertThat(lines("log", "-n", "1", "--verdict", "refused").getFirst())
                .contains(FIRST + ":3");
        assertThat(lines("log", "-n", "0")).isEmpty();
    }

    @Test
    void json_lines_are_the_events_as_they_are_stored() throws IOException {
        assertThat(lines("log", "--json", "--kind", "judged").get(1))
                .isEqualTo(
                        "{\"action\": \"read:/p/.env\", \"at\": \"2026-01-02T03:04:05.678Z\","
                                + " \"code\": \"policy.denied\", \"event\": \"judged\", \"permitted\": false,"
                                + " \"reason\": \"no rule allows it\", \"rule\": \"\","
                                + " \"session\": \"20260102-030405-a\", \"source\": \"\", \"v\": 1}");
        assertThat(lines("log", "export", "--format", "jsonl")).isEqualTo(lines("log", "--json"));
        assertThat(lines("log", "export", "--format", "ocsf", "last"))
                .hasSize(3)
                .allMatch(l -> l.contains("\"class_uid\""));
        assertThat(lines("log", "export", "--format", "otlp"))
                .hasSize(9)
                .allMatch(l -> l.contains("resourceLogs"));
    }

    @Test
    void no_name_can_draw_on_the_terminal() throws IOException {
        var evil = new Action.WriteFile(FilePath.of("/p/\u001b[2J\r\n\u202e  permitted"));
        recordings.run("20260103-000000-c", judged("20260103-000000-c", evil, false));

        writ("log");
        writ("log", "--json");
        writ("attest", "show", "last");
        writ("attest", "show", "--json", "20260102-03");

        assertThat(output()).contains("\\u{1b}").doesNotContain("\u001b", "\u202e", "\r");
    }

    @Test
    void a_long_log_is_printed_without_holding_it_and_a_closed_pipe_ends_it_quietly() {
        try (var log = recordings.log(new SessionId("20260104-000000-d"))) {
            byte[] entry = Entry.of(judged("20260104-000000-d", "read:/p/x", true)).bytes();
            for (int i = 0; i < 100_000; i++) {
                log.append(entry, Durability.SOON);
            }
            log.sign();
        }
        var counted = new long[1];
        assertThat(
                        run(
                                new OutputStream() {
                                    @Override
                                    public void write(int b) {
                                        counted[0] += b == '\n' ? 1 : 0;
                                    }
                                },
                                "log"))
                .isZero();
        assertThat(counted[0]).isEqualTo(100_009);
        var written = new long[1];
        assertThat(
                        run(
                                new OutputStream() {
                                    @Override
                                    public void write(int b) throws IOException {
                                        if (++written[0] > 1000) {
                                            throw new IOException("Broken pipe");
                                        }
                                    }
                                },
                                "log",
                                "--follow"))
                .as("it would never end otherwise")
                .isZero();
        assertThat(errors()).isEmpty();
    }

    @Test
    void what_happens_later_is_followed_also_in_sessions_that_begin_later() throws Exception {
        var reader = new PipedInputStream(1 << 16);
        var writer = new PipedOutputStream(reader);
        var follower =
                Thread.ofPlatform()
                        .start(() -> run(writer, "log", "--follow", "-n", "1", "--json"));
        var lines = new BufferedReader(new InputStreamReader(reader, UTF_8));

        assertThat(lines.readLine()).contains(SECOND, "completed");
        recordings.run("20260105-000000-e", judged("20260105-000000-e", "read:/late", true));
        assertThat(lines.readLine()).contains("20260105-000000-e", "opened");
        assertThat(lines.readLine()).contains("read:/late");
        follower.interrupt();
        follower.join();
    }

    @Test
    void a_record_that_nobody_touched_verifies() {
        recordings.killed("20260106-000000-f", true, judged("20260106-000000-f", "read:/x", true));
        recordings.killed("20260106-000001-g", false);

        assertThat(writ("log", "verify")).as(output()).isZero();
        assertThat(output())
                .contains(
                        "verified   session 20260102-030405-a: 6 entries\n",
                        "attestation of 20260102-030405-a: signed, and the log has the 6 entries",
                        "1 entry, and 1 behind the last checkpoint that nobody has signed",
                        "unchecked  session 20260106-000001-g: not signed: it was ended before its",
                        "nothing is wrong; what is unchecked has nothing to be compared with");
        assertThat(lines("log", "verify", "--json").getLast())
                .isEqualTo("{\"verified\": true, \"problems\": 0, \"first\": null}");
    }

    @Test
    void a_record_verifies_while_it_is_written() throws Exception {
        String name = "20260112-000000-m";
        recordings.killed(name, false);
        var stop = new AtomicBoolean();
        byte[] entry = Entry.of(judged(name, "read:/p/x", true)).bytes();
        try (var log = recordings.log(new SessionId(name))) {
            var writer =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        for (int i = 0; i < 100_000 && !stop.get(); i++) {
                                            log.append(entry, Durability.BEFORE_EFFECT);
                                        }
                                    });
            try {
                for (int i = 0; i < 10; i++) {
                    assertThat(writ("log", "verify")).as(output()).isZero();
                }
            } finally {
                stop.set(true);
                writer.join();
            }
        }
    }

    @Test
    void a_first_run_that_goes_on_or_was_killed_is_no_problem() {
        installation = new Installation(folder.resolve("fresh"));
        new Recordings(installation).killed(FIRST, true);

        assertThat(writ("log", "verify")).as(output()).isZero();
        assertThat(output())
                .contains("unchecked  installation log: not signed", FIRST + ": 1 entry\n");
    }

    @Test
    void nothing_recorded_is_no_problem_and_makes_no_keys() {
        installation = new Installation(folder.resolve("empty"));
        assertThat(writ("log", "verify")).isZero();
        assertThat(writ("log")).isZero();
        assertThat(writ("keys")).isZero();
        assertThat(output()).contains("nothing is recorded yet", "not made yet");
        assertThat(folder.resolve("empty")).doesNotExist();
        assertThat(writ("log", "anchor")).isEqualTo(125);
        assertThat(writ("attest", "show", "last")).isEqualTo(125);
    }

    /// What somebody does to a record, and what must be said of it.
    record Attack(String name, Doing doing, String said) {
        @Override
        public String toString() {
            return name;
        }
    }

    interface Doing {
        void to(Installation installation, Recordings recordings) throws IOException;
    }

    static Stream<Attack> attacks() {
        return Stream.of(
                new Attack(
                        "one bit of an entry flipped",
                        (i, _) -> flip(find(log(i), "tile/entries")),
                        "session 20260102-030405-a: entry 2 is not what was hashed (entry 2)"),
                new Attack(
                        "an entry dropped",
                        (i, _) -> {
                            var tile = find(log(i), "tile/entries");
                            byte[] bytes = Files.readAllBytes(tile);
                            int first = 2 + ((bytes[0] & 0xff) << 8 | (bytes[1] & 0xff));
                            Files.write(tile, Arrays.copyOfRange(bytes, first, bytes.length));
                        },
                        "session 20260102-030405-a: the tile with entry 0 is damaged"),
                new Attack(
                        "entries gone",
                        (i, _) -> Files.delete(find(log(i), "tile/entries")),
                        "session 20260102-030405-a: entries from 0 on are missing"),
                new Attack(
                        "a session removed",
                        (i, _) -> remove(log(i)),
                        "session 20260102-030405-a: was removed: it is anchored with 6 entries"),
                new Attack(
                        "the head of a session removed",
                        (i, _) -> Files.delete(log(i).resolve("checkpoint")),
                        "session 20260102-030405-a: there is no signed checkpoint"),
                new Attack(
                        "the head of the installation log removed",
                        (i, _) -> Files.delete(i.log().resolve("checkpoint")),
                        "installation log: there is no signed checkpoint"),
                new Attack(
                        "a session begun anew with less in it",
                        (i, r) -> {
                            remove(log(i));
                            try (var log = r.log(new SessionId(FIRST))) {
                                log.append(
                                        Entry.of(judged(FIRST, "read:/p/Makefile", true)).bytes(),
                                        Durability.BEFORE_EFFECT);
                                log.sign();
                            }
                        },
                        "is not what entry 1 of the installation log anchored: the log has 1 entries, but had 6"),
                new Attack(
                        "a session invented with the machine's own key",
                        (_, r) -> {
                            try (var log = r.log(new SessionId("20260101-000000-z"))) {
                                log.append(
                                        Entry.of(judged(FIRST, "read:/p", true)).bytes(),
                                        Durability.BEFORE_EFFECT);
                                log.sign();
                            }
                        },
                        "session 20260101-000000-z: was never anchored"),
                new Attack(
                        "the log of one session in the place of another",
                        (i, _) -> {
                            remove(log(i));
                            copy(i.log(new SessionId(SECOND)), log(i));
                        },
                        "session 20260102-030405-a: not a checkpoint that can be believed"),
                new Attack(
                        "the installation log removed",
                        (i, _) -> remove(i.log()),
                        "installation log: is missing"),
                new Attack(
                        "the attestation of another session",
                        (i, _) ->
                                Files.copy(
                                        i.attestation(new SessionId(SECOND)),
                                        i.attestation(new SessionId(FIRST)),
                                        StandardCopyOption.REPLACE_EXISTING),
                        "attestation of 20260102-030405-a: it is of another session"),
                new Attack(
                        "an attestation changed",
                        (i, _) -> {
                            var file = i.attestation(new SessionId(FIRST));
                            var text = Files.readString(file);
                            int at = text.indexOf("\"payload\"") + 40;
                            char other = text.charAt(at) == 'A' ? 'B' : 'A';
                            Files.writeString(
                                    file, text.substring(0, at) + other + text.substring(at + 1));
                        },
                        "attestation of 20260102-030405-a: the signature is not by this key"));
    }

    @ParameterizedTest
    @MethodSource("attacks")
    void whatever_was_changed_is_said(Attack attack) throws IOException {
        assertThat(writ("log", "verify")).as("before").isZero();
        attack.doing().to(installation, recordings);
        out.reset();

        assertThat(writ("log", "verify")).isEqualTo(1);
        assertThat(output()).contains("wrong      ", attack.said()).contains("not as signed");
        assertThat(lines("log", "verify", "--json").getLast())
                .startsWith("{\"verified\": false, \"problems\": ");
    }

    @Test
    void a_copy_verifies_elsewhere_with_the_public_key_only() throws IOException {
        writ("keys", "export");
        Files.write(folder.resolve("writ.pub"), out.toByteArray());
        String key = output().lines().findFirst().orElseThrow();
        var pem = String.join("\n", lines("keys", "export", "log", "--pem"));
        Files.writeString(folder.resolve("log.pem"), pem);
        var copy = folder.resolve("copy");
        copy(installation.log(), copy.resolve("log"));
        copy(installation.state().resolve("sessions"), copy.resolve("sessions"));
        var alone = folder.resolve("alone");
        copy(log(installation), alone);
        installation = new Installation(folder.resolve("elsewhere"));

        for (var each : List.of("writ.pub", key, "log.pem")) {
            assertThat(writ("log", "verify", "copy", "--key", each)).as(output()).isZero();
            assertThat(writ("log", "verify", "alone", "--key", each)).as(output()).isZero();
        }
        assertThat(writ("log", "verify", "copy")).as("no key").isEqualTo(125);
        var stranger = lines("keys", "export", "log").getFirst();
        assertThat(writ("log", "verify", "copy", "--key", stranger)).isEqualTo(1);
        assertThat(writ("log", "verify", "alone", "--key", stranger)).isEqualTo(1);
        assertThat(writ("log", "verify", "copy", "--key", "no key\u001b[2J")).isEqualTo(125);
        assertThat(errors()).doesNotContain("\u001b");
        flip(find(alone, "tile/entries"));
        assertThat(writ("log", "verify", "alone", "--key", "writ.pub")).isEqualTo(1);
    }

    @Test
    void an_older_copy_put_back_shows_only_against_an_anchor() throws IOException {
        copy(installation.state(), folder.resolve("older"));
        recordings.run("20260107-000000-h");
        assertThat(writ("log", "anchor", "--to", "kept")).isZero();
        assertThat(writ("log", "verify", "--anchor", "kept")).as(output()).isZero();

        remove(installation.log());
        remove(installation.state().resolve("sessions"));
        copy(folder.resolve("older/log"), installation.log());
        copy(folder.resolve("older/sessions"), installation.state().resolve("sessions"));

        assertThat(writ("log", "verify")).as("in order by itself").isZero();
        out.reset();
        assertThat(writ("log", "verify", "--anchor", "kept")).isEqualTo(1);
        assertThat(output())
                .contains("anchor: the log has 4 entries, but had 6 when it was anchored");
        assertThat(writ("log", "anchor", "--to", "kept")).isEqualTo(125);
        assertThat(errors()).contains("`kept` is not replaced");
        remove(installation.log());
        remove(installation.state().resolve("sessions"));
        assertThat(writ("log", "verify", "--anchor", "kept")).as("all of it gone").isEqualTo(1);
    }

    @Test
    void an_anchor_replaces_its_predecessor_and_nothing_else() throws Exception {
        assertThat(writ("log", "anchor", "--to", "kept")).isZero();
        recordings.killed("20260108-000000-i", false);
        assertThat(writ("log", "anchor", "--to", "kept")).isZero();
        assertThat(folder.resolve("kept")).content().startsWith("writ/log\n5\n");
        Files.writeString(folder.resolve("precious"), "precious");
        assertThat(writ("log", "anchor", "--to", "precious")).isEqualTo(125);
        assertThat(folder.resolve("precious")).hasContent("precious");
        out.reset();
        assertThat(writ("log", "anchor")).isZero();
        assertThat(output()).isEqualTo(Files.readString(folder.resolve("kept")));
    }

    @Test
    void an_anchor_can_be_sent_to_somebody_else() throws Exception {
        String sent = sent("204 No Content", 0);
        assertThat(sent).startsWith("POST /anchor HTTP/1.1\r\n").contains("\r\n\r\nwrit/log\n4\n");
        Files.writeString(folder.resolve("got"), sent.substring(sent.indexOf("\r\n\r\n") + 4));
        assertThat(writ("log", "verify", "--anchor", "got")).as(output()).isZero();
        sent("500 No", 125);
        assertThat(errors()).contains("answered 500, so nothing is anchored");
        sent("302 Found\r\nLocation: /other", 125);
    }

    /// What a server that gives this answer is told by `writ log anchor`, which then ends so.
    private String sent(String answer, int code) throws Exception {
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var got = new ByteArrayOutputStream();
            var thread =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try (var peer = server.accept()) {
                                            while (!got.toString(UTF_8).contains("\n\n\u2014 ")
                                                    || !got.toString(UTF_8).endsWith("\n")) {
                                                got.write(peer.getInputStream().read());
                                            }
                                            String head = "HTTP/1.1 " + answer + "\r\n";
                                            peer.getOutputStream()
                                                    .write(
                                                            (head + "Content-Length: 0\r\n\r\n")
                                                                    .getBytes(UTF_8));
                                        } catch (IOException e) {
                                            throw new UncheckedIOException(e);
                                        }
                                    });
            String url = "http://127.0.0.1:" + server.getLocalPort() + "/anchor";
            assertThat(writ("log", "anchor", "--to", url)).as(errors()).isEqualTo(code);
            thread.join();
            return got.toString(UTF_8);
        }
    }

    @Test
    void anchors_in_git_notes_verify_all_together() throws Exception {
        assertThat(writ("log", "anchor", "--to", "git")).as("no repository").isEqualTo(125);
        git("init", "-q");
        git(
                "-c",
                "user.name=n",
                "-c",
                "user.email=e@x",
                "commit",
                "-q",
                "--allow-empty",
                "-m",
                "m");
        git("config", "user.name", "n");
        git("config", "user.email", "e@x");
        assertThat(writ("log", "anchor", "--to", "git")).as(errors()).isZero();
        recordings.run("20260109-000000-j");
        assertThat(writ("log", "anchor", "--to", "git")).as(errors()).isZero();
        Files.writeString(folder.resolve("kept"), git("notes", "--ref=writ", "show"));

        out.reset();
        assertThat(writ("log", "verify", "--anchor", "kept")).isZero();
        assertThat(output()).contains("the first 4 of now 6", "the first 6 of now 6");
    }

    /// A folder that looks like a bare repository to git, with a command to be run when an object
    /// is missing. Any agent can make one.
    @Test
    void a_repository_that_an_agent_made_is_not_anchored_in_and_starts_nothing() throws Exception {
        var ran = folder.resolve("ran");
        Files.createDirectories(folder.resolve("objects"));
        var heads = Files.createDirectories(folder.resolve("refs/heads"));
        var notes = Files.createDirectories(folder.resolve("refs/notes"));
        Files.writeString(heads.resolve("main"), "1".repeat(40) + "\n");
        Files.writeString(notes.resolve("writ"), "1".repeat(40) + "\n");
        Files.writeString(folder.resolve("HEAD"), "ref: refs/heads/main\n");
        Files.writeString(
                folder.resolve("config"),
                """
                [core]
                repositoryformatversion = 1
                bare = true
                [extensions]
                partialClone = origin
                [protocol "file"]
                allow = always
                [remote "origin"]
                url = %s
                promisor = true
                uploadpack = "touch %s; false"
                """
                        .formatted(folder, ran));

        assertThat(writ("log", "anchor", "--to", "git")).isEqualTo(125);
        assertThat(ran).doesNotExist();
        assertThatThrownBy(() -> git("notes", "--ref=writ", "show")).isNotNull();
        assertThat(ran).as("git alone starts it").exists();
    }

    @Test
    void an_entry_is_proved_to_somebody_who_has_no_log() throws IOException {
        assertThat(writ("log", "prove", "2026010203:2")).isEqualTo(125);
        assertThat(writ("log", "prove", FIRST + ":2", "--out", "r")).isZero();
        assertThat(output()).contains("writ log check r r.entry --key writ/log+");
        String key = lines("keys", "export", "log").getFirst();
        installation = new Installation(folder.resolve("elsewhere"));

        out.reset();
        assertThat(writ("log", "check", "r", "r.entry", "--key", key)).isZero();
        assertThat(output())
                .contains("this is entry 2 of the 6 in writ/log/" + FIRST, "refused  read:/p/.env");
        String stranger = lines("keys", "export", "log").getFirst();
        assertThat(writ("log", "check", "r", "r.entry", "--key", stranger)).isEqualTo(1);
        Files.writeString(
                folder.resolve("r.entry"),
                Files.readString(folder.resolve("r.entry")).replace("false", "true"));
        assertThat(writ("log", "check", "r", "r.entry", "--key", key)).isEqualTo(1);
        assertThat(output()).contains("wrong", "this is not entry 2");
    }

    @Test
    void what_is_not_signed_cannot_be_proved() {
        assertThat(writ("log", "prove", FIRST + ":6")).isEqualTo(125);
        assertThat(errors()).contains("there is no signed entry 6");
    }

    @Test
    void keys_are_rotated_and_those_who_trust_the_first_follow() throws IOException {
        Files.write(folder.resolve("first.pub"), bytes("keys", "export"));
        assertThat(writ("keys", "rotate", "log")).isZero();
        assertThat(writ("keys", "rotate")).isZero();
        assertThat(output()).contains("Who verifies need do nothing");
        recordings.run("20260110-000000-k");

        assertThat(lines("keys", "--json").getFirst())
                .contains("\"purpose\": \"log\"", "\"earlier\": 2");
        assertThat(writ("log", "verify")).as(output()).isZero();
        copy(installation.state(), folder.resolve("copy"));
        remove(folder.resolve("copy/keys"));
        copy(installation.state().resolve("keys/handovers"), folder.resolve("copy/keys/handovers"));
        installation = new Installation(folder.resolve("elsewhere"));
        assertThat(writ("log", "verify", "copy", "--key", "first.pub")).as(output()).isZero();
        remove(folder.resolve("copy/keys"));
        assertThat(writ("log", "verify", "copy", "--key", "first.pub"))
                .as("nothing leads to the new key")
                .isEqualTo(1);
    }

    @Test
    void an_attestation_is_shown_with_what_it_does_not_say_before_the_rest() {
        assertThat(writ("attest", "show", FIRST)).isZero();
        assertThat(output())
                .startsWith("session   " + FIRST + "\ncommand   make all\n")
                .contains(
                        "outcome   completed, exit 0", "signals: not enforced: Landlock is too old")
                .contains("read:/p/.env  no rule allows it", "entries 0 to 5 of writ/log/" + FIRST);
        assertThat(output().indexOf("gaps")).isLessThan(output().indexOf("isolation"));
        assertThat(lines("attest", "show", "--json", FIRST).getFirst()).startsWith("{\"answers\":");
    }

    @Test
    void an_attestation_verifies_with_its_files_and_its_log_or_says_what_is_wrong()
            throws IOException {
        String session = "20260111-000000-l";
        String sha = Value.sha256("hello".getBytes(UTF_8));
        recordings.run(
                session,
                new AuditEvent.FileWritten(
                        Recordings.AT, new SessionId(session), FilePath.of("/p/out.txt"), 5, sha));
        Files.writeString(folder.resolve("out.txt"), "hello");
        Files.copy(installation.attestation(new SessionId(session)), folder.resolve("run.json"));
        Files.write(folder.resolve("writ.pub"), bytes("keys", "export"));

        assertThat(writ("attest", "verify", "last", "--folder", ".")).as(output()).isZero();
        assertThat(output()).contains("the log has the 3 entries it is about; 1 files compared");
        Files.writeString(folder.resolve("out.txt"), "evil!");
        assertThat(writ("attest", "verify", "last", "--folder", ".")).isEqualTo(1);
        assertThat(output()).contains("`out.txt` has other contents");
        remove(installation.log(new SessionId(session)));
        try (var log = recordings.log(new SessionId(session))) {
            log.append(new byte[] {1}, Durability.BEFORE_EFFECT);
            log.sign();
        }
        assertThat(writ("attest", "verify", "run.json")).as("another log").isEqualTo(1);
        installation = new Installation(folder.resolve("elsewhere"));
        assertThat(writ("attest", "verify", "run.json", "--key", "writ.pub")).as(output()).isZero();
        assertThat(writ("attest", "verify", "run.json")).as("no key").isEqualTo(125);
        var stranger = lines("keys", "export", "attest").getFirst();
        assertThat(writ("attest", "verify", "run.json", "--key", stranger)).isEqualTo(1);
        assertThat(writ("attest", "show", "run.json", "--key", stranger))
                .as("nothing is shown unverified")
                .isEqualTo(1);
        assertThat(writ("attest", "show", "out.txt", "--key", stranger)).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("misuses")
    void misuse_is_one_line_and_exit_code_125(List<String> arguments) {
        assertThat(writ(arguments.toArray(String[]::new))).isEqualTo(125);
        assertThat(errors().lines()).singleElement().asString().startsWith("writ: ");
        assertThat(output()).isEmpty();
    }

    static Stream<List<String>> misuses() {
        return Stream.of(
                List.of("log", "a", "b"),
                List.of("log", "nosuch"),
                List.of("log", "--kind", "judge"),
                List.of("log", "--verdict", "maybe"),
                List.of("log", "--since", "yesterday"),
                List.of("log", "--path", ""),
                List.of("log", "-n", "many"),
                List.of("log", "export"),
                List.of("log", "export", "--format", "xml"),
                List.of("log", "verify", "nowhere"),
                List.of("log", "verify", "--anchor", "nowhere"),
                List.of("log", "verify", "--key", "nowhere"),
                List.of("log", "prove"),
                List.of("log", "prove", "last"),
                List.of("log", "prove", "last:99"),
                List.of("log", "check", "a"),
                List.of("log", "anchor", "--to", "http://"),
                List.of("keys", "show"),
                List.of("keys", "rotate", "all"),
                List.of("attest"),
                List.of("attest", "show"),
                List.of("attest", "verify", "nowhere"));
    }

    private static Path log(Installation installation) {
        return installation.log(new SessionId(FIRST));
    }

    /// The one file below `folder`.
    private static Path find(Path log, String folder) throws IOException {
        try (var all = Files.walk(log.resolve(folder))) {
            return all.filter(Files::isRegularFile).findFirst().orElseThrow();
        }
    }

    /// Changes one bit in the third entry.
    private static void flip(Path tile) throws IOException {
        byte[] bytes = Files.readAllBytes(tile);
        int at = new String(bytes, ISO_8859_1).indexOf("/p/.env");
        bytes[at] ^= 1;
        Files.write(tile, bytes);
    }

    private static void remove(Path folder) throws IOException {
        try (var all = Files.walk(folder)) {
            for (var each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to.getParent());
        try (var all = Files.walk(from)) {
            for (var each : all.toList()) {
                Files.copy(each, to.resolve(from.relativize(each).toString()));
            }
        }
    }

    private String git(String... words) throws Exception {
        var command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(words));
        var process =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .start();
        String said = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }

    private byte[] bytes(String... arguments) {
        out.reset();
        assertThat(writ(arguments)).isZero();
        byte[] bytes = out.toByteArray();
        out.reset();
        return bytes;
    }

    private List<String> lines(String... arguments) {
        out.reset();
        writ(arguments);
        var lines = output().lines().toList();
        out.reset();
        return lines;
    }

    private int writ(String... arguments) {
        return run(out, arguments);
    }

    private int run(OutputStream to, String... arguments) {
        var variables =
                Map.of(
                        "HOME",
                        folder.toString(),
                        "WRIT_HOME",
                        installation.state().toString(),
                        "PATH",
                        "/usr/local/bin:/usr/bin:/bin");
        var world =
                new World(
                        folder,
                        variables,
                        new ByteArrayInputStream(new byte[0]),
                        new PrintStream(to, true, UTF_8),
                        new PrintStream(err, true, UTF_8),
                        false,
                        List.of("writ"));
        return new Cli(world).run(List.of(arguments));
    }

    private String output() {
        return out.toString(UTF_8);
    }

    private String errors() {
        return err.toString(UTF_8);
    }
}
