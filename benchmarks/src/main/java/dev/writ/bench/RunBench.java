// SPDX-License-Identifier: Apache-2.0
package dev.writ.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

/// What `writ run` costs a person who types it: each time a JVM that is started for it, by the
/// launcher, in an empty folder without a policy.
final class RunBench {
    private static final List<String> SECTIONS = List.of("start", "memory", "pipe", "echo");
    private static final long PIPED = 1L << 31;

    /// Writes a byte to a terminal and waits for its echo, many times, once the command has said
    /// that it is there; prints the median in milliseconds.
    private static final String ECHO =
            """
            import os, pty, sys, time
            child, terminal = pty.fork()
            if child == 0:
                os.execvp(sys.argv[1], sys.argv[1:] + ["sh", "-c", "echo ready; exec cat"])
            seen = b""
            while b"ready" not in seen:
                seen += os.read(terminal, 4096)
            time.sleep(0.3)
            taken = []
            for i in range(500):
                start = time.perf_counter()
                os.write(terminal, b"x")
                os.read(terminal, 4096)
                taken.append(time.perf_counter() - start)
            os.write(terminal, b"\\n\\x04")
            os.waitpid(child, 0)
            print(sorted(taken)[len(taken) // 2] * 1000)
            """;

    private final ProcessWorld world;
    private final Path root;
    private final String writ;

    private RunBench(ProcessWorld world) throws IOException {
        this.world = world;
        this.root = Path.of(Objects.requireNonNull(System.getProperty("writ.root"), "use ./bench"));
        this.writ = root.resolve("writ") + " run --";
        Files.createDirectories(world.folder.resolve("empty"));
    }

    /// Measures the named sections, or all of them.
    static void run(List<String> names) throws Exception {
        try (var world = new ProcessWorld()) {
            var bench = new RunBench(world);
            bench.shell(bench.writ + " /bin/true"); // it may have to be built
            Rounds.header();
            for (var section : names.isEmpty() ? SECTIONS : names) {
                switch (section) {
                    case "start" -> bench.start();
                    case "memory" -> bench.memory();
                    case "pipe" -> bench.pipe();
                    case "echo" -> bench.echo();
                    default -> throw new IllegalArgumentException("no such section: " + section);
                }
            }
        }
    }

    /// From the shell's exec to the end of a program that does nothing.
    private void start() throws Exception {
        var hello = hello();
        var rounds =
                new Rounds("cold start", "ms", 31)
                        .add("hello world, same JVM flags", Rounds.timed(() -> plain(hello)))
                        .add(
                                "writ run -- /bin/true",
                                Rounds.timed(() -> plain(words(writ + " /bin/true"))));
        if (ProcessWorld.has("bwrap")) {
            var bubblewrap =
                    words("bwrap --ro-bind / / --dev /dev --proc /proc --unshare-all /bin/true");
            rounds.add("bubblewrap", Rounds.timed(() -> plain(bubblewrap)));
        }
        rounds.print(3);
    }

    private List<String> hello() throws Exception {
        var jar = world.folder.resolve("hello.jar");
        String name = Hello.class.getName().replace('.', '/') + ".class";
        try (var out = new JarOutputStream(Files.newOutputStream(jar));
                var in = Objects.requireNonNull(ClassLoader.getSystemResourceAsStream(name))) {
            out.putNextEntry(new JarEntry(name));
            in.transferTo(out);
        }
        var flags = shell(". scripts/flags.sh && java_flags .writ-build && printf %s \"$flags\"");
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(words(flags));
        command.addAll(List.of("-cp", jar.toString(), Hello.class.getName()));
        return command;
    }

    /// What the JVM that watches takes while the program sleeps.
    private void memory() throws Exception {
        var process = builder(words(writ + " /bin/sleep 60")).start();
        try {
            for (int i = 0; i < 100 && process.descendants().findAny().isEmpty(); i++) {
                Thread.sleep(100);
            }
            Thread.sleep(1000);
            var used = Footprint.of(Long.toString(process.pid()));
            System.out.printf(
                    Locale.ROOT,
                    "memory: while `sleep` runs, Writ takes %.1f MB (Pss; resident %.1f MB) and %d"
                            + " threads%n",
                    used.share() / 1024.0,
                    used.resident() / 1024.0,
                    used.threads());
        } finally {
            process.destroy();
            process.waitFor();
        }
    }

    /// Bytes through a confined program, from one pipe to the next.
    private void pipe() throws Exception {
        var from = "head -c " + PIPED + " /dev/zero | ";
        new Rounds("2 GB through cat", "ms", 5)
                .add("unconfined", Rounds.timed(() -> shell(from + "cat | wc -c").length()))
                .add(
                        "writ run -- cat",
                        Rounds.timed(() -> shell(from + writ + " cat | wc -c").length()))
                .print(1);
    }

    /// A key, and its echo on the screen.
    private void echo() throws Exception {
        if (!ProcessWorld.has("python3")) {
            System.out.println("echo: needs python3");
            return;
        }
        world.write("echo.py", ECHO);
        new Rounds("echo at a terminal", "ms", 5)
                .add("unconfined", () -> echo("/usr/bin/env"))
                .add("writ run -- cat", () -> echo(writ))
                .print(1);
    }

    private double echo(String starter) throws Exception {
        return Double.parseDouble(
                shell("cd '" + world.folder + "/empty' && python3 ../echo.py " + starter).strip());
    }

    private static List<String> words(String command) {
        return List.of(command.split(" "));
    }

    private ProcessBuilder builder(List<String> command) {
        var builder =
                new ProcessBuilder(command)
                        .directory(world.folder.resolve("empty").toFile())
                        .redirectInput(Path.of("/dev/null").toFile())
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("WRIT_HOME", world.folder.resolve("state").toString());
        return builder;
    }

    private double plain(List<String> command) throws IOException, InterruptedException {
        int code = builder(command).start().waitFor();
        if (code != 0) {
            throw new IllegalStateException(command + " ended with " + code);
        }
        return code;
    }

    /// What a command line prints, called where the launcher is.
    private String shell(String line) throws IOException, InterruptedException {
        var process =
                new ProcessBuilder("sh", "-c", line)
                        .directory(root.toFile())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        String printed = new String(process.getInputStream().readAllBytes());
        if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue() != 0) {
            throw new IllegalStateException("failed: " + line);
        }
        return printed;
    }
}
