// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.writ.daemon.client.DaemonClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The daemon as a process of its own, and what goes wrong around it.
class DaemonProcessIT {
    @TempDir Path folder;
    private Path state;
    private Path workspace;
    private Path launcher;
    private final List<Process> started = new ArrayList<>();

    @BeforeEach
    void prepare() throws IOException {
        state = folder.resolve("state");
        workspace = Files.createDirectory(folder.resolve("workspace"));
        launcher = LauncherFile.in(folder);
    }

    @AfterEach
    void end() throws Exception {
        writ("down");
        started.forEach(Process::destroyForcibly);
    }

    private record Ended(int code, String output) {}

    private ProcessBuilder builder(String... words) {
        var all = new ArrayList<>(List.of(launcher.toString()));
        all.addAll(List.of(words));
        var builder = new ProcessBuilder(all).redirectErrorStream(true);
        builder.environment().put("WRIT_HOME", state.toString());
        builder.directory(workspace.toFile());
        return builder;
    }

    private Ended writ(String... words) throws Exception {
        var process = builder(words).start();
        started.add(process);
        var output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Ended(process.exitValue(), output);
    }

    private DaemonClient client() throws IOException {
        return DaemonClient.connect(state.resolve("api.sock"));
    }

    /// A socket is there a moment before anybody listens on it.
    private void awaitAnswer() throws Exception {
        for (int i = 0; i < 400; i++) {
            try (var client = client()) {
                client.get("/v1/health");
                return;
            } catch (IOException e) {
                Thread.sleep(25);
            }
        }
        throw new AssertionError("no daemon answers");
    }

    private static Map<?, ?> object(DaemonClient.Answer answer) {
        return (Map<?, ?>) Objects.requireNonNull(answer.json());
    }

    @Test
    void up_status_down() throws Exception {
        assertThat(writ("status"))
                .isEqualTo(new Ended(1, "no daemon runs; `writ up` starts one\n"));
        var up = writ("up");
        assertThat(up.output()).startsWith("the daemon started: writ ");
        assertThat(up.code()).isZero();
        var again = writ("up");
        assertThat(again.output()).startsWith("the daemon runs already: writ ");
        assertThat(again.code()).isZero();
        assertThat(writ("status", "--json").output()).contains("\"running\": true");
        assertThat(writ("up", "--foreground").output()).contains("a daemon runs already");
        assertThat(writ("down")).isEqualTo(new Ended(0, "the daemon has ended\n"));
        assertThat(writ("status").code()).isEqualTo(1);
        assertThat(writ("down")).isEqualTo(new Ended(0, "no daemon runs\n"));
    }

    @Test
    void two_that_start_at_once_start_one() throws Exception {
        var first = builder("up").start();
        var second = builder("up").start();
        started.add(first);
        started.add(second);
        var outputs =
                List.of(
                        new String(first.getInputStream().readAllBytes(), UTF_8),
                        new String(second.getInputStream().readAllBytes(), UTF_8));
        assertThat(first.waitFor()).as(outputs.toString()).isZero();
        assertThat(second.waitFor()).as(outputs.toString()).isZero();
        assertThat(pid(outputs.get(0))).isEqualTo(pid(outputs.get(1)));
    }

    private static String pid(String output) {
        return output.replaceAll("(?s).*process (\\d+).*", "$1");
    }

    @Test
    void killed_with_fifty_running_sandboxes_it_leaves_nothing_but_the_record() throws Exception {
        writ("up");
        String mark = "86399." + ProcessHandle.current().pid();
        try (var client = client()) {
            long pid = (Long) Objects.requireNonNull(object(client.get("/v1/info")).get("pid"));
            var ids = new ArrayList<String>();
            for (int i = 0; i < 50; i++) {
                var id =
                        object(
                                        client.ask(
                                                "POST",
                                                "/v1/sandboxes",
                                                "{\"workspace\": \"" + workspace + "\"}"))
                                .get("id");
                ids.add(String.valueOf(id));
                var events =
                        client.ask(
                                "POST",
                                "/v1/sandboxes/" + id + "/exec",
                                "{\"shell\": \"(sleep "
                                        + mark
                                        + " & sleep "
                                        + mark
                                        + ")\", \"yield_ms\": 0}");
                assertThat(events.body()).contains("running");
            }
            assertThat(sleeping(mark)).isPositive();
            assertThat(ProcessHandle.of(pid).orElseThrow().destroyForcibly()).isTrue();
            for (int i = 0; i < 400 && sleeping(mark) > 0; i++) {
                Thread.sleep(25);
            }
            assertThat(sleeping(mark)).isZero();
            var up = writ("up");
            assertThat(up.output()).startsWith("the daemon started");
            assertThat(Files.readString(state.resolve("daemon.log")))
                    .contains("50 sessions were running when Writ was killed");
            assertThat(state.resolve("unfinished")).isEmptyDirectory();
            for (var id : ids) {
                assertThat(state.resolve("sessions").resolve(id).resolve("attestation.json"))
                        .exists();
            }
        }
        assertThat(writ("log", "verify").code()).isZero();
    }

    private static long sleeping(String mark) {
        return ProcessHandle.allProcesses()
                .filter(p -> p.info().commandLine().orElse("").contains("sleep " + mark))
                .count();
    }

    @Test
    void told_to_end_it_ends_its_sandboxes_and_closes_the_record() throws Exception {
        var daemon = builder("up", "--foreground").start();
        started.add(daemon);
        awaitAnswer();
        String mark = "86398." + ProcessHandle.current().pid();
        try (var client = client()) {
            var id =
                    object(
                                    client.ask(
                                            "POST",
                                            "/v1/sandboxes",
                                            "{\"workspace\": \"" + workspace + "\"}"))
                            .get("id");
            client.ask(
                    "POST",
                    "/v1/sandboxes/" + id + "/exec",
                    "{\"argv\": [\"sleep\", \"" + mark + "\"], \"yield_ms\": 0}");
            daemon.destroy();
            assertThat(daemon.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(daemon.exitValue()).isZero();
            assertThat(sleeping(mark)).isZero();
            assertThat(state.resolve("api.sock")).doesNotExist();
            assertThat(state.resolve("unfinished")).isEmptyDirectory();
            assertThat(
                            state.resolve("sessions")
                                    .resolve(String.valueOf(id))
                                    .resolve("attestation.json"))
                    .exists();
        }
    }

    @Test
    void another_user_is_not_let_in() throws Exception {
        assumeTrue(Files.isWritable(Path.of("/etc/shadow")), "only root can be somebody else");
        writ("up");
        // Even if the folders were open.
        for (var path : List.of(folder, state)) {
            new ProcessBuilder("chmod", "755", path.toString()).start().waitFor();
        }
        var socket = state.resolve("api.sock").toString();
        new ProcessBuilder("chmod", "666", socket).start().waitFor();
        var ask =
                "import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); "
                        + "s.send(b'GET /v1/info HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n'); print(s.recv(9))";
        var own =
                new ProcessBuilder("python3", "-c", ask, socket).redirectErrorStream(true).start();
        assertThat(new String(own.getInputStream().readAllBytes(), UTF_8)).contains("HTTP/1.1");
        var other =
                new ProcessBuilder(
                                "setpriv",
                                "--reuid=65534",
                                "--regid=65534",
                                "--clear-groups",
                                "python3",
                                "-c",
                                ask,
                                socket)
                        .redirectErrorStream(true)
                        .start();
        assertThat(new String(other.getInputStream().readAllBytes(), UTF_8))
                .doesNotContain("HTTP/1.1");
    }
}
