// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.writ.daemon.client.DaemonClient;
import dev.writ.trust.Json;
import dev.writ.trust.file.HeldException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DaemonIT {
    @TempDir Path folder;
    private DaemonWorld world;

    @BeforeEach
    void start() throws IOException {
        world = new DaemonWorld(folder, OptionalInt.of(0));
    }

    @AfterEach
    void end() throws IOException {
        world.close();
    }

    @Test
    void a_command_runs_confined_and_its_output_comes_back() throws IOException {
        var sandbox = world.open();
        var events = world.shell(sandbox, "echo hello; echo oops >&2; exit 3");
        assertThat(events.getFirst()).containsEntry("t", "started");
        assertThat(DaemonWorld.text(events, "stdout")).isEqualTo("hello\n");
        assertThat(DaemonWorld.text(events, "stderr")).isEqualTo("oops\n");
        assertThat(DaemonWorld.code(events)).isEqualTo(3);
    }

    @Test
    void what_no_rule_allows_is_refused_and_said_at_the_end() throws IOException {
        var sandbox = world.open();
        var outside = folder.resolve("outside");
        var events = world.shell(sandbox, "echo x > " + outside + "; echo y > inside");
        assertThat(outside).doesNotExist();
        assertThat(world.workspace.resolve("inside")).hasContent("y");
        assertThat(String.valueOf(events.getLast().get("refused")))
                .contains("write:" + outside)
                .contains("to `allow`");
    }

    @Test
    void a_denied_command_says_why_and_ends_with_126() throws IOException {
        var sandbox =
                world.open(
                        Map.of(
                                "version",
                                1L,
                                "allow",
                                List.of("read:/**", "shell:*"),
                                "deny",
                                List.of("exec:ls")));
        var events = world.exec(sandbox, Map.of("argv", List.of("ls", "/")));
        var types = events.stream().map(e -> e.get("t")).toList();
        assertThat(types).containsExactly("denied", "stderr", "exit");
        assertThat(events.getFirst())
                .containsEntry("code", "policy.denied")
                .containsEntry("rule", "exec:ls")
                .containsEntry("audit_id", sandbox);
        assertThat(DaemonWorld.text(events, "stderr"))
                .startsWith("writ: denied: `ls /`")
                .endsWith("\n");
        assertThat(DaemonWorld.code(events)).isEqualTo(126);
        assertThat(DaemonWorld.code(world.exec(sandbox, Map.of("argv", List.of("no-such-thing")))))
                .isEqualTo(127);
        Files.writeString(world.workspace.resolve("plain"), "no program");
        var plain = world.exec(sandbox, Map.of("argv", List.of("./plain")));
        assertThat(DaemonWorld.text(plain, "stderr")).isEqualTo("writ: not a program: `./plain`\n");
        assertThat(DaemonWorld.code(plain)).isEqualTo(126);
        assertThat(world.workspace.resolve("plain").toFile().setExecutable(true)).isTrue();
        var script = world.exec(sandbox, Map.of("argv", List.of("./plain")));
        assertThat(DaemonWorld.text(script, "stderr")).startsWith("writ: not a program: ");
        assertThat(DaemonWorld.code(script)).isEqualTo(126);
    }

    @Test
    void a_program_that_would_be_asked_about_is_refused_if_nobody_is_to_be() throws IOException {
        var policy =
                Map.of(
                        "version",
                        1L,
                        "allow",
                        List.of("read:/**", "shell:*"),
                        "ask",
                        List.of("exec:ls"));
        var fields = Map.of("workspace", "" + world.workspace, "policy", policy, "ask_ms", 0L);
        var opened = world.ask("POST", "/v1/sandboxes", Json.write(fields));
        var sandbox = String.valueOf(DaemonWorld.object(opened).get("id"));
        var events = world.exec(sandbox, Map.of("argv", List.of("ls", "/")));
        assertThat(events).anyMatch(e -> "denied".equals(e.get("t")));
        assertThat(DaemonWorld.text(events, "stdout")).isEmpty();
        assertThat(DaemonWorld.code(events)).isEqualTo(126);
    }

    @Test
    void folder_variables_input_and_time_are_the_callers() throws IOException {
        var sandbox = world.open();
        Files.createDirectory(world.workspace.resolve("sub"));
        var events =
                world.exec(
                        sandbox,
                        Map.of(
                                "shell",
                                "pwd; echo $GREETING; cat",
                                "cwd",
                                "sub",
                                "env",
                                Map.of("GREETING", "hi"),
                                "stdin",
                                "typed"));
        assertThat(DaemonWorld.text(events, "stdout"))
                .isEqualTo(world.workspace.resolve("sub") + "\nhi\ntyped");
        var late = world.exec(sandbox, Map.of("shell", "sleep 60", "timeout_ms", 100L));
        assertThat(late.getLast()).containsEntry("timed_out", true);
        assertThat(DaemonWorld.code(late)).isEqualTo(124);
    }

    @Test
    void a_folder_of_the_callers_choice_moves_no_right() throws IOException {
        var sandbox = world.open();
        var elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        var events =
                world.exec(sandbox, Map.of("shell", "echo x > file", "cwd", elsewhere.toString()));
        assertThat(DaemonWorld.code(events)).isNotZero();
        assertThat(elsewhere.resolve("file")).doesNotExist();
    }

    @Test
    void output_is_text_where_it_is_text_and_never_cut_inside_of_a_character() throws IOException {
        var sandbox = world.open();
        // 3 bytes each, so that no power of two is a boundary of characters
        var euros = "\u20ac".repeat(50_000);
        Files.writeString(world.workspace.resolve("euros"), euros);
        var events = world.exec(sandbox, Map.of("argv", List.of("cat", "euros")));
        assertThat(events).noneMatch(e -> e.containsKey("base64"));
        assertThat(DaemonWorld.text(events, "stdout")).isEqualTo(euros);

        byte[] bytes = {(byte) 0xff, 0, (byte) 0xfe, 'a'};
        Files.write(world.workspace.resolve("bytes"), bytes);
        var raw = world.exec(sandbox, Map.of("argv", List.of("cat", "bytes")));
        var base64 = raw.stream().filter(e -> e.containsKey("base64")).findFirst().orElseThrow();
        assertThat(Base64.getDecoder().decode(String.valueOf(base64.get("base64"))))
                .isEqualTo(bytes);
    }

    @Test
    void a_command_that_goes_on_is_read_written_signalled_and_ended() throws IOException {
        var sandbox = world.open();
        var first =
                world.exec(
                        sandbox,
                        Map.of("argv", List.of("cat"), "stdin_open", true, "yield_ms", 50L));
        var running = first.getLast();
        assertThat(running).containsEntry("t", "running");
        String path = "/v1/sandboxes/" + sandbox + "/processes/" + running.get("process");
        assertThat(world.ask("POST", path + "/write", "{\"text\": \"ping\\n\"}").status())
                .isEqualTo(204);
        long after = (Long) Objects.requireNonNull(running.get("next_seq")) - 1;
        var read = read(path, after);
        assertThat(String.valueOf(read.get("events"))).contains("text=ping");
        assertThat(world.ask("POST", path + "/write", "{\"eof\": true}").status()).isEqualTo(204);
        after = (Long) Objects.requireNonNull(read.get("next_seq")) - 1;
        var end = read(path, after);
        assertThat(String.valueOf(end.get("events"))).contains("t=exit").contains("code=0");
        assertThat(end).containsEntry("over", true).containsEntry("running", false);
        assertThat(world.ask("DELETE", path, "").status()).isEqualTo(204);
        assertThat(world.ask("GET", path, "").status()).isEqualTo(404);

        var sleeper =
                world.exec(sandbox, Map.of("shell", "exec sleep 60", "yield_ms", 0L)).getLast();
        path = "/v1/sandboxes/" + sandbox + "/processes/" + sleeper.get("process");
        assertThat(world.ask("POST", path + "/signal", "{\"signal\": \"TERM\"}").status())
                .isEqualTo(204);
        var events = String.valueOf(read(path, 1).get("events"));
        assertThat(events).contains("code=143");
    }

    private Map<String, @Nullable Object> read(String path, long after) throws IOException {
        return DaemonWorld.object(
                world.ask(
                        "POST",
                        path + "/read",
                        Json.write(Map.of("after_seq", after, "wait_ms", 20_000L))));
    }

    @Test
    void a_terminal_is_one_and_has_a_size() throws IOException {
        var sandbox = world.open();
        var events =
                world.exec(
                        sandbox, Map.of("shell", "read x; stty size", "tty", true, "yield_ms", 0L));
        String path = "/v1/sandboxes/" + sandbox + "/processes/" + events.getLast().get("process");
        assertThat(world.ask("POST", path + "/resize", "{\"rows\": 7, \"columns\": 70}").status())
                .isEqualTo(204);
        assertThat(world.ask("POST", path + "/write", "{\"text\": \"\\n\"}").status())
                .isEqualTo(204);
        var text = new StringBuilder();
        long after = 0;
        for (int i = 0; i < 20 && !text.toString().contains("t=exit"); i++) {
            var part = read(path, after);
            text.append(part.get("events"));
            after = (Long) Objects.requireNonNull(part.get("next_seq")) - 1;
        }
        assertThat(text.toString()).contains("7 70");
    }

    @Test
    void a_lot_of_output_comes_whole() throws IOException {
        var sandbox = world.open();
        long[] bytes = {0};
        try (var client = world.client()) {
            client.stream(
                    "POST",
                    "/v1/sandboxes/" + sandbox + "/exec",
                    "{\"shell\": \"yes | head -c 50000000\"}",
                    line -> {
                        var event = DaemonWorld.object(DaemonWorld.read(line));
                        if ("stdout".equals(event.get("t"))) {
                            bytes[0] += String.valueOf(event.get("text")).length();
                        }
                    });
        }
        assertThat(bytes[0]).isEqualTo(50_000_000);
    }

    @Test
    void what_nobody_reads_makes_room_and_says_so() throws IOException {
        var sandbox = world.open();
        var events =
                world.exec(
                        sandbox,
                        Map.of("shell", "sleep 0.2; yes | head -c 2000000", "yield_ms", 0L));
        String path = "/v1/sandboxes/" + sandbox + "/processes/" + events.getLast().get("process");
        for (int i = 0; i < 400; i++) {
            if (Boolean.FALSE.equals(
                    DaemonWorld.object(world.ask("GET", path, "")).get("running"))) {
                break;
            }
            pause();
        }
        var read = read(path, 1);
        assertThat(read.get("lost")).isEqualTo(true);
        assertThat(String.valueOf(read.get("events"))).hasSizeLessThan(400_000);
    }

    private static void pause() {
        try {
            Thread.sleep(25);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void who_goes_away_ends_the_command_unless_it_was_to_stay() throws IOException {
        var sandbox = world.open();
        for (var stays : List.of(false, true)) {
            try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(world.socket()))) {
                send(
                        channel,
                        "/v1/sandboxes/" + sandbox + "/exec",
                        Json.write(Map.of("argv", List.of("sleep", "600"), "detach", stays)));
                channel.read(ByteBuffer.allocate(200));
            }
            boolean gone = false;
            for (int i = 0; i < 80 && !gone; i++) {
                pause();
                gone = running(sandbox) == 0;
            }
            assertThat(gone).isEqualTo(!stays);
        }
    }

    private long running(String sandbox) throws IOException {
        var shown = DaemonWorld.object(world.ask("GET", "/v1/sandboxes/" + sandbox, ""));
        return (Long) Objects.requireNonNull(shown.get("running"));
    }

    private static void send(SocketChannel channel, String path, String json) throws IOException {
        String head =
                "POST "
                        + path
                        + " HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: "
                        + json.length()
                        + "\r\n\r\n"
                        + json;
        channel.write(ByteBuffer.wrap(head.getBytes(UTF_8)));
    }

    @Test
    void a_slow_reader_holds_up_nobody_else() throws IOException {
        var sandbox = world.open();
        try (var slow = SocketChannel.open(UnixDomainSocketAddress.of(world.socket()))) {
            send(slow, "/v1/sandboxes/" + sandbox + "/exec", "{\"argv\": [\"yes\"]}");
            slow.read(ByteBuffer.allocate(10));
            for (int i = 0; i < 20; i++) {
                assertThat(DaemonWorld.text(world.shell(sandbox, "echo " + i), "stdout"))
                        .isEqualTo(i + "\n");
            }
        }
    }

    @Test
    void many_run_at_once() throws Exception {
        var sandboxes = new ArrayList<String>();
        for (int i = 0; i < 10; i++) {
            sandboxes.add(world.open());
        }
        try (var threads = Executors.newFixedThreadPool(10)) {
            List<Callable<String>> calls =
                    IntStream.range(0, 60)
                            .<Callable<String>>mapToObj(
                                    i ->
                                            () ->
                                                    DaemonWorld.text(
                                                            world.shell(
                                                                    sandboxes.get(i % 10),
                                                                    "echo " + i),
                                                            "stdout"))
                            .toList();
            var results = threads.invokeAll(calls);
            for (int i = 0; i < results.size(); i++) {
                Future<String> result = results.get(i);
                assertThat(result.get()).isEqualTo(i + "\n");
            }
        }
    }

    @Test
    void no_sandbox_reaches_the_daemon_whatever_its_policy_grants() throws IOException {
        var program =
                """
                import socket, sys
                print('tried', flush=True)
                s = socket.socket(socket.AF_UNIX)
                s.connect(sys.argv[1])
                s.send(b'GET /v1/info HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n')
                print('ALLOWED' if b'200' in s.recv(100) else 'no')
                """;
        Files.writeString(world.workspace.resolve("connect.py"), program);
        var outside =
                new ProcessBuilder(
                                "python3",
                                world.workspace.resolve("connect.py").toString(),
                                world.socket().toString())
                        .redirectErrorStream(true)
                        .start();
        // The control: outside of a sandbox it works.
        assertThat(new String(outside.getInputStream().readAllBytes(), UTF_8)).contains("ALLOWED");
        for (var rules : List.of(List.of("write:/**"), List.of("write:/**", "unix:/**"))) {
            var sandbox = world.open(rules.toArray(String[]::new));
            // By its path: where everything can be written, no name stands for a program.
            var events =
                    world.exec(
                            sandbox,
                            Map.of(
                                    "argv",
                                    List.of(
                                            "/usr/bin/python3",
                                            "connect.py",
                                            world.socket().toString())));
            assertThat(DaemonWorld.text(events, "stdout")).isEqualTo("tried\n");
            assertThat(DaemonWorld.text(events, "stderr")).contains("PermissionError");
        }
        // Nor can a policy name it.
        for (var path : List.of(world.socket(), world.socket().resolveSibling("**"))) {
            assertThatThrownBy(() -> world.open("unix:" + path))
                    .hasMessageContaining("would lead to Writ itself");
        }
        // Another socket can be reached where a rule says so.
        var other = world.workspace.resolve("other.sock");
        try (var listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(other));
            Thread.ofVirtual()
                    .start(
                            () -> {
                                try (var channel = listener.accept()) {
                                    // First: who writes to what is closed gets no answer.
                                    channel.read(ByteBuffer.allocate(100));
                                    channel.write(ByteBuffer.wrap("200".getBytes(UTF_8)));
                                } catch (IOException e) {
                                    // the assertion below fails
                                }
                            });
            var events =
                    world.exec(
                            world.open("unix:" + other),
                            Map.of("argv", List.of("python3", "connect.py", other.toString())));
            assertThat(DaemonWorld.text(events, "stdout")).contains("ALLOWED");
        }
    }

    @Test
    void a_policy_with_an_error_opens_nothing() throws IOException {
        for (var policy :
                List.of(
                        "{\"allow\": [\"read:.\"], \"denny\": []}",
                        "{\"allow\": [5, {\"path\": \"x\"}]}",
                        "{\"allow\": [\"raed:.\"]}",
                        "{\"extends\": [\"no-such-profile\"]}")) {
            var answer =
                    world.ask(
                            "POST",
                            "/v1/sandboxes",
                            "{\"workspace\": \""
                                    + world.workspace
                                    + "\", \"policy\": "
                                    + policy
                                    + "}");
            assertThat(answer.status()).as(policy).isEqualTo(422);
            assertThat(DaemonWorld.object(answer)).containsEntry("code", "policy.invalid");
        }
        var unknown =
                world.ask(
                        "POST",
                        "/v1/sandboxes",
                        "{\"workspace\": \"" + world.workspace + "\", \"sandbox\": false}");
        assertThat(unknown.status()).isEqualTo(400);
        assertThat(unknown.body()).contains("unknown field `sandbox`");
        assertThat(DaemonWorld.object(world.ask("GET", "/v1/info", "")))
                .containsEntry("sandboxes", 0L);
    }

    @Test
    void an_empty_policy_allows_nothing() throws IOException {
        var sandbox = world.open(Map.of("version", 1L, "allow", List.of()));
        assertThat(DaemonWorld.code(world.shell(sandbox, "true"))).isEqualTo(126);
    }

    @Test
    void an_action_is_judged_without_being_done() throws IOException {
        var sandbox = world.open();
        var inside =
                DaemonWorld.object(
                        world.ask(
                                "POST",
                                "/v1/decide",
                                Json.write(Map.of("sandbox", sandbox, "action", "write:./x"))));
        assertThat(inside).containsEntry("decision", "allow").containsEntry("rule", "write:.");
        var outside =
                DaemonWorld.object(
                        world.ask(
                                "POST",
                                "/v1/decide",
                                Json.write(Map.of("sandbox", sandbox, "action", "write:/etc/x"))));
        assertThat(outside).containsEntry("decision", "deny");
        assertThat(String.valueOf(outside.get("remedy"))).contains("write:/etc/x");
        var command =
                DaemonWorld.object(
                        world.ask(
                                "POST",
                                "/v1/decide",
                                Json.write(
                                        Map.of(
                                                "sandbox",
                                                sandbox,
                                                "argv",
                                                List.of("git", "push")))));
        assertThat(command).containsEntry("decision", "allow");
    }

    @Test
    void the_same_key_is_the_same_sandbox_and_ids_are_no_paths() throws IOException {
        String body =
                Json.write(Map.of("workspace", world.workspace.toString(), "idempotency_key", "k"));
        var one = DaemonWorld.object(world.ask("POST", "/v1/sandboxes", body)).get("id");
        assertThat(DaemonWorld.object(world.ask("POST", "/v1/sandboxes", body)).get("id"))
                .isEqualTo(one);
        for (var id : List.of("../../x", "%2e%2e", "%00", "x".repeat(300), "")) {
            assertThat(world.ask("GET", "/v1/sandboxes/" + id, "").status()).isIn(400, 404);
        }
    }

    @Test
    void sandboxes_that_nobody_uses_end_by_themselves() throws IOException {
        String body = Json.write(Map.of("workspace", world.workspace.toString(), "idle_ms", 1000L));
        var id = DaemonWorld.object(world.ask("POST", "/v1/sandboxes", body)).get("id");
        boolean gone = false;
        for (int i = 0; i < 400 && !gone; i++) {
            pause();
            gone = !world.ask("GET", "/v1/sandboxes", "").body().contains(String.valueOf(id));
        }
        assertThat(gone).isTrue();
    }

    @Test
    void events_of_a_sandbox_are_told() throws IOException {
        var sandbox = world.open();
        world.shell(sandbox, "cat /etc/shadow-nothing; echo x > file");
        var events = new ArrayList<String>();
        try (var client = world.client()) {
            client.stream("GET", "/v1/events?follow=false&sandbox=" + sandbox, "", events::add);
        }
        assertThat(events)
                .anyMatch(e -> e.contains("\"session.opened\"") || e.contains("opened"))
                .allMatch(e -> e.contains(sandbox));
    }

    @Test
    void there_is_one_daemon_and_a_socket_that_was_left_behind_is_no_obstacle() throws IOException {
        assertThatThrownBy(() -> new DaemonWorld(folder, OptionalInt.empty()))
                .isInstanceOf(HeldException.class);
        assertThat(world.ask("GET", "/v1/health", "").status()).isEqualTo(200);
        var other = Files.createDirectories(folder.resolve("other/state"));
        try (var stale = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            stale.bind(UnixDomainSocketAddress.of(other.resolve("api.sock")));
        }
        assertThat(other.resolve("api.sock")).exists();
        try (var second = new DaemonWorld(folder.resolve("other"), OptionalInt.empty())) {
            assertThat(second.ask("GET", "/v1/health", "").status()).isEqualTo(200);
        }
        assertThat(other.resolve("api.sock")).doesNotExist();
    }

    @Test
    void the_socket_is_the_operators_alone() throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(world.socket())))
                .isEqualTo("rw-------");
        assertThat(
                        PosixFilePermissions.toString(
                                Files.getPosixFilePermissions(
                                        Objects.requireNonNull(world.socket().getParent()))))
                .isEqualTo("rwx------");
    }

    @Test
    void a_port_is_open_to_the_token_alone() throws IOException {
        var info = DaemonWorld.object(world.ask("GET", "/v1/info", ""));
        int port = URI.create(String.valueOf(info.get("tcp"))).getPort();
        String token = Files.readString(Path.of(String.valueOf(info.get("token_file")))).strip();
        String ok = "host: 127.0.0.1:" + port + "\r\nauthorization: Bearer " + token;
        assertThat(tcp(port, "GET /v1/info HTTP/1.1\r\n" + ok)).startsWith("HTTP/1.1 200");
        assertThat(tcp(port, "GET /v1/info HTTP/1.1\r\nhost: 127.0.0.1:" + port))
                .startsWith("HTTP/1.1 401");
        assertThat(tcp(port, "GET /v1/info HTTP/1.1\r\n" + ok + "0")).startsWith("HTTP/1.1 401");
        assertThat(tcp(port, "GET /v1/info HTTP/1.1\r\n" + ok.replace("127.0.0.1", "evil.test")))
                .startsWith("HTTP/1.1 421");
        for (var origin : List.of("http://evil.test", "null", "http://127.0.0.1:" + port)) {
            assertThat(tcp(port, "GET /v1/info HTTP/1.1\r\n" + ok + "\r\norigin: " + origin))
                    .startsWith("HTTP/1.1 403");
        }
        assertThat(
                        tcp(
                                port,
                                "POST /v1/sandboxes HTTP/1.1\r\n"
                                        + ok
                                        + "\r\ncontent-type: text/plain\r\ncontent-length: 0"))
                .startsWith("HTTP/1.1 415");
        assertThat(
                        PosixFilePermissions.toString(
                                Files.getPosixFilePermissions(
                                        Path.of(String.valueOf(info.get("token_file"))))))
                .isEqualTo("rw-------");
    }

    private static String tcp(int port, String head) throws IOException {
        try (var channel =
                SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
            return exchange(channel, head + "\r\n\r\n");
        }
    }

    private String raw(String bytes) throws IOException {
        try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(world.socket()))) {
            return exchange(channel, bytes);
        }
    }

    private static String exchange(SocketChannel channel, String bytes) throws IOException {
        try {
            var out = ByteBuffer.wrap(bytes.getBytes(ISO_8859_1));
            while (out.hasRemaining()) {
                channel.write(out);
            }
        } catch (IOException e) {
            // it may have heard enough
        }
        var answer = ByteBuffer.allocate(4096);
        channel.read(answer);
        return new String(answer.array(), 0, answer.position(), ISO_8859_1);
    }

    @Test
    void requests_with_two_meanings_or_too_many_bytes_are_refused() throws IOException {
        String get = "GET /v1/health HTTP/1.1\r\n";
        assertThat(raw(get + "host: x\r\n\r\n")).startsWith("HTTP/1.1 200");
        for (var bad :
                List.of(
                        get + "\r\n",
                        get + "host: x\r\nhost: y\r\n\r\n",
                        get + "host : x\r\n\r\n",
                        get + "host: x\r\n folded\r\n\r\n",
                        get + "host: x\nother: y\r\n\r\n",
                        "GET  /v1/health HTTP/1.1\r\nhost: x\r\n\r\n",
                        "GET http://x/v1/health HTTP/1.1\r\nhost: x\r\n\r\n",
                        get + "host: x\r\ncontent-length: 1\r\ncontent-length: 1\r\n\r\n",
                        get + "host: x\r\ncontent-length: +1\r\n\r\n",
                        get + "host: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n",
                        get + "host: x\r\ntransfer-encoding: gzip, chunked\r\n\r\n")) {
            assertThat(raw(bad)).as(bad).startsWith("HTTP/1.1 400");
        }
        assertThat(raw(get.replace("1.1", "1.0") + "host: x\r\n\r\n")).startsWith("HTTP/1.1 505");
        assertThat(raw(get + "host: x\r\nlong: " + "y".repeat(20_000) + "\r\n\r\n"))
                .startsWith("HTTP/1.1 431");
        assertThat(raw(get + "host: x\r\n" + "a: b\r\n".repeat(100) + "\r\n"))
                .startsWith("HTTP/1.1 431");
        String post =
                "POST /v1/sandboxes HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n";
        assertThat(raw(post + "content-length: 9000000\r\n\r\n" + "[".repeat(9_000_000)))
                .startsWith("HTTP/1.1 413");
        assertThat(raw(post + "content-length: 200000\r\n\r\n" + "[".repeat(200_000)))
                .startsWith("HTTP/1.1 400");
        assertThat(raw(post + "transfer-encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n"))
                .startsWith("HTTP/1.1 400")
                .contains("must be a JSON object");
        assertThat(world.ask("GET", "/v1/health", "").status()).isEqualTo(200);
    }

    @Test
    void many_who_say_nothing_keep_nobody_out() throws IOException {
        var silent = new ArrayList<SocketChannel>();
        try {
            for (int i = 0; i < 300; i++) {
                var channel = SocketChannel.open(UnixDomainSocketAddress.of(world.socket()));
                channel.write(ByteBuffer.wrap("GET /v1".getBytes(UTF_8)));
                silent.add(channel);
            }
            assertThat(world.ask("GET", "/v1/health", "").status()).isEqualTo(200);
            // Their time for a head runs out.
            assertThat(silent.getFirst().read(ByteBuffer.allocate(100))).isLessThanOrEqualTo(0);
        } finally {
            for (var channel : silent) {
                channel.close();
            }
        }
    }

    @Test
    void a_connection_serves_one_request_after_the_other() throws IOException {
        var sandbox = world.open();
        try (DaemonClient client = world.client()) {
            for (int i = 0; i < 5; i++) {
                assertThat(client.get("/v1/health").status()).isEqualTo(200);
                var answer =
                        client.ask(
                                "POST",
                                "/v1/sandboxes/" + sandbox + "/exec",
                                "{\"argv\": [\"echo\", \"again\"]}");
                assertThat(answer.body()).contains("again");
                assertThat(client.get("/v1/nothing").status()).isEqualTo(404);
                assertThat(client.ask("PUT", "/v1/health", "{}").status()).isEqualTo(405);
            }
        }
    }
}
