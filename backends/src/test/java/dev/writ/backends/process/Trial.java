// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.writ.core.audit.AuditLog;
import dev.writ.core.audit.InMemoryAuditLog;
import dev.writ.core.audit.SessionId;
import dev.writ.core.broker.Approver;
import dev.writ.core.broker.Broker;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Rule;
import dev.writ.core.policy.Source;
import dev.writ.core.sandbox.Sandbox;
import dev.writ.core.sandbox.SandboxSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// A folder to work in, and real sandboxes around programs that work there.
final class Trial {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    /// What any program needs to start.
    private static final List<String> BASE =
            List.of(
                    "allow read:/usr",
                    "allow read:/bin",
                    "allow read:/lib",
                    "allow read:/lib64",
                    "allow read:/etc/ld.so.cache",
                    "allow read:/proc/self",
                    "allow write:/dev/null",
                    "allow device:/dev/null",
                    "allow shell:*");

    final Path folder;

    Trial(Path temporary) throws IOException {
        folder = temporary.toRealPath();
    }

    /// The base and these rules; each is an effect and a capability.
    Policy policy(String... rules) {
        var scope =
                new Scope(
                        FilePath.of(folder.toString()),
                        FilePath.of("/home/somebody"),
                        List.of(FilePath.of("/usr/bin"), FilePath.of("/bin")));
        var all = new ArrayList<Rule>();
        Stream.concat(BASE.stream(), Stream.of(rules)).forEach(r -> all.add(rule(r, scope)));
        return Policy.of(scope, all, List.of());
    }

    private static Rule rule(String text, Scope scope) {
        int space = text.indexOf(' ');
        return Rule.parse(
                Effect.valueOf(text.substring(0, space).toUpperCase(Locale.ROOT)),
                text.substring(space + 1),
                scope,
                Source.of("test"));
    }

    Sandbox start(Policy policy, String... command) {
        return start(policy, Approver.nobody(), new InMemoryAuditLog(), command);
    }

    Sandbox start(Policy policy, Approver approver, AuditLog log, String... command) {
        return new ProcessBackend()
                .start(
                        spec(policy, command),
                        new Broker(policy, approver, log, InstantSource.system()));
    }

    SandboxSpec spec(Policy policy, String... command) {
        return new SandboxSpec(
                new SessionId("test"),
                policy,
                FilePath.of(folder.resolve(command[0]).toString()),
                List.of(command),
                FilePath.of(folder.toString()),
                Map.of("PATH", "/usr/bin:/bin"),
                SandboxSpec.Streams.PIPED,
                () -> SandboxSpec.STREAM,
                Set.of(),
                new Account(policy),
                Optional.empty());
    }

    /// How a sandbox ended, and what it said.
    record End(int code, String output, String errors) {}

    /// Runs a command in a sandbox to its end.
    End run(Policy policy, String... command) throws Exception {
        return end(start(policy, command));
    }

    /// Waits for the end of a sandbox.
    static End end(Sandbox sandbox) throws Exception {
        try (sandbox) {
            sandbox.input().close();
            var output = text(sandbox.output()::readAllBytes);
            var errors = text(sandbox.errors()::readAllBytes);
            int code = soon(sandbox::await);
            return new End(code, output.join(), errors.join());
        }
    }

    private static CompletableFuture<String> text(Callable<byte[]> bytes) {
        var text = new CompletableFuture<String>();
        Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            try {
                                text.complete(new String(bytes.call(), UTF_8));
                            } catch (Exception e) {
                                text.completeExceptionally(e);
                            }
                        });
        return text;
    }

    /// Waits for a result, but not for ever.
    static <T> T soon(Callable<T> result) throws Exception {
        var done = new CompletableFuture<T>();
        Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            try {
                                done.complete(result.call());
                            } catch (Throwable e) {
                                done.completeExceptionally(e);
                            }
                        });
        return done.get(PATIENCE.toSeconds() + soak() * 10L, TimeUnit.SECONDS);
    }

    /// Waits until something holds.
    static void eventually(String what, Callable<Boolean> holds) throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!holds.call()) {
            assertThat(System.nanoTime()).as("waited too long until %s", what).isLessThan(end);
            Thread.sleep(2);
        }
    }

    /// How much longer than usual tests take: `./test --soak`.
    static int soak() {
        return Integer.getInteger("writ.soak", 1);
    }

    Path file(String name, String text) throws IOException {
        var file = folder.resolve(name);
        Files.createDirectories(file.resolveSibling("."));
        return Files.writeString(file, text);
    }

    /// Compiles a program of the test resources into the folder.
    Path compile(String source, String name) throws Exception {
        assumeTrue(
                Stream.of(System.getenv("PATH").split(":"))
                        .anyMatch(f -> Files.isExecutable(Path.of(f, "gcc"))),
                "a C compiler is needed: gcc");
        var program = folder.resolve(name);
        var c = folder.resolve(source);
        try (var in = Trial.class.getResourceAsStream(source)) {
            Files.write(c, in.readAllBytes());
        }
        var gcc =
                new ProcessBuilder("gcc", "-O1", "-pthread", "-static", "-o", "" + program, "" + c)
                        .redirectErrorStream(true)
                        .start();
        assertThat(new String(gcc.getInputStream().readAllBytes(), UTF_8)).isEmpty();
        assertThat(gcc.waitFor()).isZero();
        return program;
    }
}
