// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.daemon.client.DaemonClient;
import dev.writ.trust.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Commands wait in the kernel for an answer that comes over the API.
@Timeout(120)
class ApprovalsIT {
    @TempDir Path folder;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private DaemonWorld world;
    private Path asked;

    @BeforeEach
    void start() throws IOException {
        world = new DaemonWorld(folder, OptionalInt.empty());
        asked = Files.writeString(folder.resolve("asked"), "secret\n");
    }

    @AfterEach
    void end() throws IOException {
        world.close();
        threads.shutdownNow();
    }

    private String open() throws IOException {
        return world.open(
                Map.of(
                        "version",
                        1L,
                        "allow",
                        List.of("read:/**", "write:.", "shell:*"),
                        "ask",
                        List.of("read:" + asked)));
    }

    private Future<List<Map<String, @Nullable Object>>> shell(String sandbox, String script) {
        return threads.submit(() -> world.shell(sandbox, script));
    }

    /// Waits until so many questions wait.
    private List<Map<String, @Nullable Object>> waiting(int count) throws Exception {
        for (int i = 0; i < 400; i++) {
            var all = new ArrayList<Map<String, @Nullable Object>>();
            var answer = world.ask("GET", "/v1/approvals", "").json();
            DaemonWorld.list(answer, "approvals").forEach(q -> all.add(DaemonWorld.object(q)));
            if (all.size() == count) {
                return all;
            }
            Thread.sleep(50);
        }
        throw new AssertionError("not so many questions");
    }

    private DaemonClient.Answer answer(
            Map<String, @Nullable Object> question, String decision, String scope, String secret)
            throws IOException {
        try (var client = world.client()) {
            return client.with("writ-approver", secret)
                    .ask(
                            "POST",
                            "/v1/approvals/" + question.get("id"),
                            Json.write(
                                    Map.of(
                                            "decision",
                                            decision,
                                            "scope",
                                            scope,
                                            "digest",
                                            String.valueOf(question.get("digest")))));
        }
    }

    @Test
    void a_command_waits_and_goes_on_with_the_answer() throws Exception {
        var sandbox = open();
        var yes = shell(sandbox, "cat " + asked);
        var question = waiting(1).getFirst();
        assertThat(question)
                .containsEntry("sandbox", sandbox)
                .containsEntry("action", "read:" + asked)
                .containsEntry("times", 1L);
        assertThat(String.valueOf(question.get("lineage"))).contains("cat");
        assertThat(yes.isDone()).isFalse();
        assertThat(answer(question, "approve", "once", world.approver()).status()).isEqualTo(200);
        assertThat(DaemonWorld.text(yes.get(), "stdout")).isEqualTo("secret\n");
        assertThat(yes.get()).anyMatch(e -> "approval".equals(e.get("t")));
        assertThat(answer(question, "approve", "once", world.approver()).status()).isEqualTo(404);

        var no = shell(sandbox, "cat " + asked);
        answer(waiting(1).getFirst(), "refuse", "once", world.approver());
        assertThat(DaemonWorld.text(no.get(), "stdout")).isEmpty();

        var session = shell(sandbox, "cat " + asked);
        answer(waiting(1).getFirst(), "approve", "session", world.approver());
        assertThat(DaemonWorld.text(session.get(), "stdout")).isEqualTo("secret\n");
        assertThat(DaemonWorld.text(world.shell(sandbox, "cat " + asked), "stdout"))
                .isEqualTo("secret\n");
    }

    private Future<List<Map<String, @Nullable Object>>> cat(
            String sandbox, String cwd, String input) {
        var fields = Map.of("argv", List.of("cat", "" + asked, "-"), "cwd", cwd, "stdin", input);
        return threads.submit(() -> world.exec(sandbox, fields));
    }

    /// A yes to the second of two that differ in one thing, whichever that is.
    private void answerOneOfTwo(
            Future<List<Map<String, @Nullable Object>>> first,
            Future<List<Map<String, @Nullable Object>>> second,
            String field,
            String secondHas)
            throws Exception {
        var both = waiting(2);
        var chosen = both.get(secondHas.equals(both.getLast().get(field)) ? 1 : 0);
        var other = both.get(chosen.equals(both.getFirst()) ? 1 : 0);
        assertThat(chosen).containsEntry(field, secondHas);
        assertThat(other.get(field)).isNotEqualTo(secondHas);
        assertThat(other).containsEntry("action", chosen.get("action"));
        var mixed = new LinkedHashMap<String, @Nullable Object>(other);
        mixed.put("digest", chosen.get("digest"));
        assertThat(answer(mixed, "approve", "once", world.approver()).status()).isEqualTo(409);
        answer(chosen, "approve", "once", world.approver());
        assertThat(DaemonWorld.text(second.get(), "stdout")).startsWith("secret\n");
        assertThat(first.isDone()).isFalse();
        assertThat(waiting(1).getFirst().get("id")).isEqualTo(other.get("id"));
        answer(other, "refuse", "once", world.approver());
        assertThat(DaemonWorld.text(first.get(), "stdout")).doesNotContain("secret");
    }

    @Test
    void the_same_from_another_folder_or_with_other_input_is_another_question() throws Exception {
        var sandbox = open();
        String here = world.workspace.toString();
        String there = Files.createDirectory(world.workspace.resolve("sub")).toString();
        answerOneOfTwo(cat(sandbox, here, ""), cat(sandbox, there, ""), "cwd", there);

        String digest = "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b";
        String one = "1 bytes, sha256 " + digest; // of "1"
        answerOneOfTwo(cat(sandbox, here, "2"), cat(sandbox, here, "1"), "stdin", one);
    }

    @Test
    void the_same_twice_is_one_question() throws Exception {
        var sandbox = open();
        String here = world.workspace.toString();
        var first = cat(sandbox, here, "1");
        var second = cat(sandbox, here, "1");
        for (int i = 0; i < 400 && !Objects.equals(waiting(1).getFirst().get("times"), 2L); i++) {
            Thread.sleep(25);
        }
        assertThat(waiting(1).getFirst()).containsEntry("times", 2L);
        answer(waiting(1).getFirst(), "refuse", "once", world.approver());
        assertThat(DaemonWorld.text(first.get(), "stdout")).doesNotContain("secret");
        assertThat(DaemonWorld.text(second.get(), "stdout")).doesNotContain("secret");
    }

    /// Its interpreter opens a script again, by the name it was started by.
    @Test
    void a_script_that_is_exchanged_while_it_waits_does_not_run() throws Exception {
        var tools = Files.createDirectory(folder.resolve("tools"));
        var script = Files.writeString(tools.resolve("tool"), "#!/bin/sh\necho first\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();
        var other = Files.createDirectory(folder.resolve("other"));
        Files.copy(script, other.resolve("tool"), StandardCopyOption.COPY_ATTRIBUTES);
        var link = Files.createSymbolicLink(world.workspace.resolve("at"), tools);
        var sandbox =
                world.open(
                        Map.of(
                                "version",
                                1L,
                                "allow",
                                List.of("read:/**", "write:.", "shell:*"),
                                "ask",
                                List.of("exec:" + tools + "/*", "exec:" + other + "/*")));

        var same = shell(sandbox, "exec at/tool");
        answer(waiting(1).getFirst(), "approve", "once", world.approver());
        assertThat(DaemonWorld.text(same.get(), "stdout")).isEqualTo("first\n");

        var elsewhere = shell(sandbox, "exec at/tool");
        var question = waiting(1).getFirst();
        Files.delete(link);
        Files.createSymbolicLink(link, other);
        answer(question, "approve", "once", world.approver());
        assertThat(DaemonWorld.text(elsewhere.get(), "stdout")).isEmpty();
        assertThat(DaemonWorld.text(elsewhere.get(), "stderr")).contains("was exchanged");

        var changed = shell(sandbox, "exec at/tool");
        question = waiting(1).getFirst();
        Files.writeString(other.resolve("tool"), "#!/bin/sh\necho second\n");
        answer(question, "approve", "once", world.approver());
        assertThat(DaemonWorld.text(changed.get(), "stdout")).isEmpty();
    }

    @Test
    void only_the_operators_secret_answers_and_no_sandbox_reads_it() throws Exception {
        var sandbox = open();
        var command = shell(sandbox, "cat " + asked);
        var question = waiting(1).getFirst();
        for (var secret : List.of("", "0".repeat(64), world.approver().substring(1))) {
            assertThat(answer(question, "approve", "once", secret).status()).isEqualTo(403);
        }
        var file = Path.of(world.config.state().toString()).resolve(Daemon.APPROVER);
        assertThat(file).exists();
        var other = world.open("write:/**");
        // Not cat: where everything can be written, no folder of programs can be trusted.
        String read = "read -r line < %s; echo $line";
        var attack = world.shell(other, read.formatted(file));
        assertThat(DaemonWorld.text(attack, "stdout")).isEqualTo("\n");
        var control = world.shell(other, read.formatted(asked));
        assertThat(DaemonWorld.text(control, "stdout"))
                .as("it can read what is not guarded: " + control)
                .isEqualTo("secret\n");
        assertThat(command.isDone()).isFalse();
        answer(question, "refuse", "once", world.approver());
        assertThat(DaemonWorld.text(command.get(), "stdout")).isEmpty();
    }

    @Test
    void what_is_approved_for_good_outlives_the_daemon() throws Exception {
        var first = shell(open(), "cat " + asked);
        var question = waiting(1).getFirst();
        assertThat(question).containsEntry("remembered", "read:" + asked);
        answer(question, "approve", "always", world.approver());
        assertThat(DaemonWorld.text(first.get(), "stdout")).isEqualTo("secret\n");
        world.close();

        world = new DaemonWorld(folder, OptionalInt.empty());
        assertThat(DaemonWorld.text(world.shell(open(), "cat " + asked), "stdout"))
                .isEqualTo("secret\n");
    }

    @Test
    void who_ends_a_sandbox_ends_its_questions() throws Exception {
        var sandbox = open();
        var command = shell(sandbox, "cat " + asked);
        waiting(1);
        world.ask("DELETE", "/v1/sandboxes/" + sandbox, "");
        waiting(0);
        assertThat(DaemonWorld.text(command.get(), "stdout")).isEmpty();
    }
}
