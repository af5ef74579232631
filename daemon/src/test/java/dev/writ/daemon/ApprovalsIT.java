// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.daemon.client.DaemonClient;
import dev.writ.trust.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
        assertThat(DaemonWorld.text(world.shell(other, "cat " + file), "stdout")).isEmpty();
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
