// SPDX-License-Identifier: Apache-2.0
package dev.writ.bench;

import dev.writ.core.capability.FilePath;
import dev.writ.daemon.client.DaemonClient;
import dev.writ.runtime.Config;
import dev.writ.runtime.SessionNames;
import dev.writ.runtime.Writ;
import dev.writ.runtime.policy.PolicyLoader;
import dev.writ.runtime.record.Installation;
import dev.writ.runtime.record.SessionRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/// What the daemon costs: a daemon of its own process, started by the launcher, and clients here.
final class DaemonBench {
    private static final List<String> SECTIONS = List.of("rest", "ping", "hook", "exec", "crowd");
    private static final String EXEC = "{\"argv\": [\"/bin/true\"]}";
    private static final int SANDBOXES = 500;
    private static final int RATE = 200;
    private static final int SECONDS = 20;

    private final Path folder;
    private final Path workspace;
    private final Map<String, String> variables;
    private final Path socket;

    private DaemonBench() throws IOException {
        folder = Files.createTempDirectory("writ-bench");
        workspace = Files.createDirectory(folder.resolve("workspace"));
        variables =
                Map.of(
                        "WRIT_HOME",
                        folder.resolve("state").toString(),
                        "HOME",
                        folder.toString(),
                        "PATH",
                        "/usr/bin:/bin");
        socket = Path.of(Config.of(workspace, variables).socket().toString());
    }

    /// Measures the named sections, or all of them.
    static void run(List<String> names) throws Exception {
        var bench = new DaemonBench();
        bench.writ("up");
        try {
            for (var section : names.isEmpty() ? SECTIONS : names) {
                switch (section) {
                    case "rest" -> bench.rest("at rest");
                    case "ping" -> bench.ping();
                    case "hook" -> bench.hook();
                    case "exec" -> bench.exec();
                    case "crowd" -> bench.crowd();
                    default -> throw new IllegalArgumentException("no such section: " + section);
                }
            }
        } finally {
            bench.writ("down");
        }
    }

    private void writ(String verb) throws IOException, InterruptedException {
        var root = Path.of(Objects.requireNonNull(System.getProperty("writ.root"), "use ./bench"));
        var builder = new ProcessBuilder(root.resolve("writ").toString(), verb);
        builder.environment().putAll(variables);
        builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
        if (builder.start().waitFor() != 0) {
            throw new IllegalStateException("`writ " + verb + "` failed");
        }
    }

    private void rest(String when) throws IOException {
        try (var client = DaemonClient.connect(socket)) {
            var info = (Map<?, ?>) Objects.requireNonNull(client.get("/v1/info").json());
            for (var line : Files.readAllLines(Path.of("/proc/" + info.get("pid") + "/status"))) {
                if (line.startsWith("VmRSS") || line.startsWith("Threads")) {
                    System.out.println(when + ": " + line.replaceAll("\\s+", " "));
                }
            }
        }
    }

    private void ping() throws IOException {
        try (var client = DaemonClient.connect(socket)) {
            double[] taken = new double[20_000];
            for (int i = -10_000; i < taken.length; i++) {
                long start = System.nanoTime();
                client.get("/v1/health");
                if (i >= 0) {
                    taken[i] = (System.nanoTime() - start) / 1e6;
                }
            }
            print("ping", taken);
        }
    }

    /// The whole hook, from its start to its end, as an agent runs it.
    private void hook() throws IOException, InterruptedException {
        var root = Path.of(Objects.requireNonNull(System.getProperty("writ.root"), "use ./bench"));
        var event =
                Files.writeString(
                        folder.resolve("event"),
                        "{\"session_id\": \"s\", \"cwd\": \""
                                + workspace
                                + "\", \"hook_event_name\": \"PreToolUse\", \"tool_name\": \"Read\","
                                + " \"tool_input\": {\"file_path\": \"a\"}}");
        double[] taken = new double[50];
        for (int i = -50; i < taken.length; i++) {
            var builder =
                    new ProcessBuilder(root.resolve("writ").toString(), "hook", "claude")
                            .inheritIO()
                            .redirectInput(event.toFile());
            builder.environment().putAll(variables);
            long start = System.nanoTime();
            if (builder.start().waitFor() != 0) {
                throw new IllegalStateException("the hook refused");
            }
            if (i >= 0) {
                taken[i] = (System.nanoTime() - start) / 1e6;
            }
        }
        print("hook", taken);
    }

    private static void print(String what, double[] taken) {
        Arrays.sort(taken);
        System.out.printf(
                Locale.ROOT,
                "%-30s p50 %.3f ms, p99 %.3f ms, most %.1f ms%n",
                what,
                taken[taken.length / 2],
                taken[taken.length * 99 / 100],
                taken[taken.length - 1]);
    }

    private String open(DaemonClient client) throws IOException {
        var answer = client.ask("POST", "/v1/sandboxes", "{\"workspace\": \"" + workspace + "\"}");
        return String.valueOf(((Map<?, ?>) Objects.requireNonNull(answer.json())).get("id"));
    }

    private static void exec(DaemonClient client, String sandbox) throws IOException {
        var answer = client.ask("POST", "/v1/sandboxes/" + sandbox + "/exec", EXEC);
        if (!answer.body().contains("\"code\": 0")) {
            throw new IllegalStateException(answer.body());
        }
    }

    /// The same policy and the same kind of record on both sides.
    private void exec() throws Exception {
        var config = Config.of(workspace, variables);
        var here = FilePath.of(workspace.toString());
        var policy = new PolicyLoader(config.scope(here), config.ownFolders()).byDefault().load();
        var id = SessionNames.next();
        var own = new Installation(folder.resolve("own"));
        try (var record = new SessionRecord(own, id, () -> "bench");
                var session = new Writ(variables).open(policy, here, id, "bench", record);
                var client = DaemonClient.connect(socket)) {
            var sandbox = open(client);
            Rounds.header();
            new Rounds("exec /bin/true", "ms", 301)
                    .add(
                            "in this process",
                            Rounds.timed(() -> session.run(List.of("/bin/true")).exitCode()))
                    .add(
                            "through the API",
                            Rounds.timed(
                                    () -> {
                                        exec(client, sandbox);
                                        return 0;
                                    }))
                    .print(200);
        }
    }

    private void crowd() throws Exception {
        var sandboxes = new ArrayList<String>();
        try (var client = DaemonClient.connect(socket)) {
            long start = System.nanoTime();
            for (int i = 0; i < SANDBOXES; i++) {
                sandboxes.add(open(client));
            }
            System.out.printf(
                    Locale.ROOT,
                    "%d sandboxes opened in %.2f s%n",
                    SANDBOXES,
                    (System.nanoTime() - start) / 1e9);
            rest("with 500 that have run nothing");
            for (var sandbox : sandboxes) {
                exec(client, sandbox);
            }
        }
        rest("with 500 that have run something");
        var taken = new ConcurrentLinkedQueue<Double>();
        var next = new AtomicInteger();
        long begin = System.nanoTime();
        try (var threads = Executors.newFixedThreadPool(16)) {
            for (int t = 0; t < 16; t++) {
                threads.submit(
                        () -> {
                            try (var client = DaemonClient.connect(socket)) {
                                for (int i = next.getAndIncrement();
                                        i < RATE * SECONDS;
                                        i = next.getAndIncrement()) {
                                    long due = begin + i * 1_000_000_000L / RATE;
                                    long wait = due - System.nanoTime();
                                    if (wait > 0) {
                                        Thread.sleep(wait / 1_000_000, (int) (wait % 1_000_000));
                                    }
                                    exec(client, sandboxes.get(i % SANDBOXES));
                                    // From when it was due, so that a queue counts.
                                    taken.add((System.nanoTime() - due) / 1e6);
                                }
                            }
                            return null;
                        });
            }
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        System.out.printf(
                Locale.ROOT,
                "%d commands in %.1f s, %.0f a second%n",
                taken.size(),
                seconds,
                taken.size() / seconds);
        print(
                "200 a second, 500 sandboxes",
                taken.stream().mapToDouble(Double::doubleValue).toArray());
        rest("afterwards");
    }
}
