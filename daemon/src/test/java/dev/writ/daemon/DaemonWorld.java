// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon;

import dev.writ.daemon.client.DaemonClient;
import dev.writ.runtime.Config;
import dev.writ.trust.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/// A daemon of its own, with a folder to work in.
final class DaemonWorld implements AutoCloseable {
    final Path home;
    final Path workspace;
    final Config config;
    final Daemon daemon;

    DaemonWorld(Path folder, OptionalInt port) throws IOException {
        home = Files.createDirectories(folder.resolve("home"));
        workspace = Files.createDirectories(folder.resolve("workspace"));
        var variables =
                Map.of(
                        "HOME",
                        home.toString(),
                        "WRIT_HOME",
                        folder.resolve("state").toString(),
                        "PATH",
                        "/usr/local/bin:/usr/bin:/bin");
        config = Config.of(workspace, variables);
        daemon =
                Daemon.start(
                        new Daemon.Settings(
                                config, variables, () -> "test", "/opt/writ/writ", port));
    }

    Path socket() {
        return Path.of(config.socket().toString());
    }

    /// What it takes to answer questions.
    String approver() throws IOException {
        return Files.readString(Path.of(config.state().toString()).resolve(Daemon.APPROVER))
                .strip();
    }

    DaemonClient client() throws IOException {
        return DaemonClient.connect(socket());
    }

    DaemonClient.Answer ask(String method, String path, String json) throws IOException {
        try (var client = client()) {
            return client.ask(method, path, json);
        }
    }

    /// Opens a sandbox that may write its workspace and run what is installed.
    String open(String... moreRules) throws IOException {
        var rules = new ArrayList<>(List.of("read:/**", "write:.", "shell:*"));
        rules.addAll(List.of(moreRules));
        return open(Map.of("version", 1L, "allow", rules));
    }

    String open(Map<String, ?> policy) throws IOException {
        return open(workspace, policy, Map.of());
    }

    String open(Path where, Map<String, ?> policy, Map<String, String> labels) throws IOException {
        var wanted = Map.of("workspace", where.toString(), "policy", policy, "labels", labels);
        var answer = ask("POST", "/v1/sandboxes", Json.write(wanted));
        if (answer.status() != 201) {
            throw new IOException(answer.body());
        }
        return String.valueOf(object(answer).get("id"));
    }

    static Map<String, @Nullable Object> object(DaemonClient.Answer answer) {
        return object(Objects.requireNonNull(answer.json()));
    }

    static Map<String, @Nullable Object> object(Object json) {
        var map = new LinkedHashMap<String, @Nullable Object>();
        ((Map<?, ?>) json).forEach((k, v) -> map.put(String.valueOf(k), v));
        return map;
    }

    /// The list of that name in `json`.
    static List<?> list(@Nullable Object json, String name) {
        return json instanceof Map<?, ?> map && map.get(name) instanceof List<?> list
                ? list
                : List.of();
    }

    /// Runs something, and gives what happened.
    List<Map<String, @Nullable Object>> exec(String sandbox, Map<String, ?> fields)
            throws IOException {
        var events = new ArrayList<Map<String, @Nullable Object>>();
        try (var client = client()) {
            int status =
                    client.stream(
                            "POST",
                            "/v1/sandboxes/" + sandbox + "/exec",
                            Json.write(fields),
                            line -> events.add(object(read(line))));
            if (status != 200) {
                throw new IOException(events.toString());
            }
        }
        return events;
    }

    List<Map<String, @Nullable Object>> shell(String sandbox, String script) throws IOException {
        return exec(sandbox, Map.of("shell", script));
    }

    static Object read(String line) {
        return Objects.requireNonNull(Json.read(line.getBytes(StandardCharsets.UTF_8), 1 << 24));
    }

    static String text(List<Map<String, @Nullable Object>> events, String stream) {
        var text = new StringBuilder();
        events.stream()
                .filter(e -> stream.equals(e.get("t")))
                .forEach(e -> text.append(e.get("text")));
        return text.toString();
    }

    static long code(List<Map<String, @Nullable Object>> events) {
        var last = events.getLast();
        if (!"exit".equals(last.get("t"))) {
            throw new AssertionError("no exit: " + events);
        }
        return (Long) Objects.requireNonNull(last.get("code"));
    }

    @Override
    public void close() throws IOException {
        daemon.close();
    }
}
