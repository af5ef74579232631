// SPDX-License-Identifier: Apache-2.0
package dev.writ.bench;

import dev.writ.backends.process.ProcessBackend;
import dev.writ.core.capability.Capability;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Rule;
import dev.writ.core.policy.Source;
import dev.writ.runtime.Session;
import dev.writ.runtime.SessionNames;
import dev.writ.runtime.Writ;
import dev.writ.runtime.policy.PolicyLoader;
import dev.writ.runtime.record.Installation;
import dev.writ.runtime.record.SessionRecord;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// A folder to work in, and three ways to run a command there: unconfined, under a policy that the
/// kernel enforces alone, and under one whose opens are judged one by one.
final class ProcessWorld implements AutoCloseable {
    private static final List<String> FOLDERS =
            List.of(
                    "read:/usr",
                    "read:/bin",
                    "read:/sbin",
                    "read:/lib",
                    "read:/lib64",
                    "read:/opt",
                    "read:/etc",
                    "read:/nix",
                    "device:/dev/null",
                    "write:.",
                    "exec:./**",
                    "shell:read-only",
                    "env:TMPDIR");

    final Path folder;
    private final Map<String, String> variables;
    private final Writ writ;
    private final Policy kernel;
    private final Policy judged;

    ProcessWorld() throws IOException {
        folder = Files.createTempDirectory("writ-bench").toRealPath();
        var home = Files.createDirectories(folder.resolve("home"));
        var temporary = Files.createDirectories(folder.resolve("tmp"));
        variables =
                Map.of(
                        "HOME", home.toString(),
                        "LANG", "C.UTF-8",
                        "TMPDIR", temporary.toString());
        var scope =
                new Scope(
                        FilePath.of(folder.toString()),
                        FilePath.of(home.toString()),
                        List.of(FilePath.of("/usr/bin"), FilePath.of("/bin")));
        writ = new Writ(variables);
        kernel =
                Policy.of(
                        scope,
                        FOLDERS.stream()
                                .map(
                                        text ->
                                                new Rule(
                                                        Effect.ALLOW,
                                                        Capability.parse(text, scope),
                                                        text,
                                                        Source.of("bench")))
                                .toList(),
                        List.of());
        judged =
                new PolicyLoader(scope, List.of())
                        .profile("workspace", Source.of("bench"))
                        .profile("git", Source.of("bench"))
                        .load();
        require(kernel, false);
        require(judged, true);
    }

    private static void require(Policy policy, boolean brokered) {
        var plan = new ProcessBackend().plan(policy);
        if (plan.reads().brokered() != brokered || plan.writes().brokered() != brokered) {
            throw new IllegalStateException("not the plan to be measured: " + plan.lines());
        }
    }

    /// A session in which the kernel decides alone.
    Session kernelSpeed() {
        return writ.open(kernel, FilePath.of(folder.toString()));
    }

    /// A session under the profiles for a workspace and for git, in which opens are judged one by
    // one.
    Session judged() {
        return writ.open(judged, FilePath.of(folder.toString()));
    }

    /// The same as [#judged] or [#kernelSpeed], with a record on the disk.
    Session recorded(boolean judge) {
        var id = SessionNames.next();
        return writ.open(
                judge ? judged : kernel,
                FilePath.of(folder.toString()),
                id,
                "bench",
                new SessionRecord(new Installation(folder.resolve("state")), id, () -> "bench"));
    }

    /// Runs a command without a sandbox, and gives what it wrote.
    String plain(List<String> command) throws IOException, InterruptedException {
        var builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().clear();
        builder.environment().putAll(variables);
        builder.environment().put("PATH", "/usr/bin:/bin");
        var process = builder.start();
        process.getOutputStream().close();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        require(command, process.waitFor(), "");
        return output;
    }

    /// Runs a command in a sandbox, and gives what it wrote.
    static String confined(Session session, List<String> command) throws InterruptedException {
        var outcome = session.run(command);
        require(command, outcome.exitCode(), outcome.errors());
        return outcome.output();
    }

    private static void require(List<String> command, int exitCode, String errors) {
        if (exitCode != 0) {
            throw new IllegalStateException(command + " ended with " + exitCode + ": " + errors);
        }
    }

    /// Whether a program is installed.
    static boolean has(String program) {
        return Stream.of("/usr/bin", "/usr/sbin")
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    /// Writes `count` files of `size` bytes, a hundred to a folder.
    void tree(String name, int count, int size) throws IOException {
        for (int i = 0; i < count; i++) {
            var line = "file " + i + " of " + name + "\n";
            write(name + "/d" + i / 100 + "/f" + i, line.repeat(size / line.length() + 1));
        }
    }

    void write(String name, String text) throws IOException {
        var file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    @Override
    public void close() throws IOException {
        var all = new ArrayList<Path>();
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).forEach(all::add);
        }
        for (var path : all) {
            Files.delete(path);
        }
    }
}
