// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
import dev.writ.core.sandbox.Proxy;
import dev.writ.core.sandbox.Sandbox;
import dev.writ.core.sandbox.SandboxSpec;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/// A folder to work in and a list of rules; runs commands under them, and the same commands without
/// any, to show that a sandbox is what makes the difference.
final class Confined {
    private static final Map<String, String> VARIABLES =
            Map.of("PATH", "/usr/bin:/bin", "LANG", "C.UTF-8");
    private static final int PATIENCE = 60; // seconds
    private static final String EVERYTHING_A_PROBE_NEEDS =
            """
            #define _GNU_SOURCE
            #include <arpa/inet.h>
            #include <errno.h>
            #include <fcntl.h>
            #include <limits.h>
            #include <linux/fs.h>
            #include <netinet/in.h>
            #include <netinet/tcp.h>
            #include <pthread.h>
            #include <sched.h>
            #include <signal.h>
            #include <stddef.h>
            #include <stdint.h>
            #include <stdio.h>
            #include <stdlib.h>
            #include <string.h>
            #include <sys/inotify.h>
            #include <sys/ioctl.h>
            #include <sys/ipc.h>
            #include <sys/mman.h>
            #include <sys/prctl.h>
            #include <sys/ptrace.h>
            #include <sys/resource.h>
            #include <sys/socket.h>
            #include <sys/stat.h>
            #include <sys/syscall.h>
            #include <sys/time.h>
            #include <sys/un.h>
            #include <sys/wait.h>
            #include <sys/xattr.h>
            #include <time.h>
            #include <unistd.h>
            #include <utime.h>

            /* Says `name ok`, or `name` and the name of the error. */
            static long say(const char *name, long result) {
                if (result >= 0) printf("%s ok\\n", name);
                else printf("%s %s\\n", name, strerrorname_np(errno));
                fflush(stdout);
                return result;
            }
            /* Says what can be read from a descriptor. */
            static void tell(const char *name, int fd) {
                char text[256];
                long length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
                if (length < 0) { say(name, -1); return; }
                text[length] = 0;
                printf("%s read %s\\n", name, text);
                fflush(stdout);
            }
            """;

    /// Where the commands start, and may write.
    final Path work;

    /// Where they may read and start programs.
    final Path tools;

    /// Where they may do nothing.
    final Path outside;

    private final Scope scope;
    private final List<Rule> rules = new ArrayList<>();
    private Approver approver = Approver.nobody();
    private Optional<Proxy> proxy = Optional.empty();

    /// What was judged in the last run.
    InMemoryAuditLog log = new InMemoryAuditLog();

    /// @param temporary an empty folder
    Confined(Path temporary) throws IOException {
        this(temporary, Path.of("/usr/bin"));
    }

    /// @param first where programs are looked for first
    Confined(Path temporary, Path first) throws IOException {
        var real = temporary.toRealPath();
        work = Files.createDirectory(real.resolve("work"));
        tools = Files.createDirectory(real.resolve("tools"));
        outside = Files.createDirectory(real.resolve("outside"));
        scope =
                new Scope(
                        FilePath.of(work.toString()),
                        FilePath.of(real.toString()),
                        Stream.of(first.toString(), "/usr/bin", "/bin")
                                .distinct()
                                .map(FilePath::of)
                                .toList());
        allow("read:/usr", "read:/etc", "read:/lib", "read:/lib64", "read:" + tools);
        allow("write:" + work, "device:/dev/null", "device:/dev/urandom");
    }

    /// Every program may start; then every call on files is judged.
    static Confined judged(Path temporary) throws IOException {
        return new Confined(temporary).allow("shell:*", "read:/proc/self");
    }

    /// Rules that the kernel can enforce on files by itself.
    static Confined byKernel(Path temporary) throws IOException {
        var confined = new Confined(temporary);
        confined.allow("exec:/usr/**", "exec:" + confined.tools + "/**");
        assertThat(new ProcessBackend().plan(confined.policy()).reads().brokered()).isFalse();
        return confined;
    }

    Confined allow(String... written) {
        return add(Effect.ALLOW, written);
    }

    Confined deny(String... written) {
        return add(Effect.DENY, written);
    }

    /// Asks about these; every question is answered with yes.
    Confined ask(String... written) {
        return ask((_, _) -> new Approver.Answer.Approved("the test"), written);
    }

    /// Asks `operator` about these.
    Confined ask(Approver operator, String... written) {
        approver = operator;
        return add(Effect.ASK, written);
    }

    /// With a way out.
    Confined through(Proxy way) {
        proxy = Optional.of(way);
        return this;
    }

    private Confined add(Effect effect, String... written) {
        for (var text : written) {
            rules.add(Rule.parse(effect, text, scope, Source.of("test")));
        }
        return this;
    }

    Policy policy() {
        return Policy.of(scope, rules, List.of());
    }

    /// What became of a command.
    record Result(int code, String output, String errors) {}

    /// Runs a command in the sandbox.
    Result run(Object... command) throws Exception {
        var words = words(command);
        var policy = policy();
        var spec =
                new SandboxSpec(
                        new SessionId("test"),
                        policy,
                        FilePath.of(words.getFirst()),
                        words,
                        FilePath.of(work.toString()),
                        VARIABLES,
                        SandboxSpec.Streams.PIPED,
                        () -> SandboxSpec.STREAM,
                        Set.of(),
                        new Account(policy),
                        proxy);
        log = new InMemoryAuditLog();
        var broker = new Broker(policy, approver, log, InstantSource.system());
        try (var sandbox = new ProcessBackend().start(spec, broker)) {
            return result(sandbox);
        }
    }

    private static Result result(Sandbox sandbox) throws Exception {
        sandbox.input().close();
        var output = text(sandbox.output());
        var errors = text(sandbox.errors());
        var code = CompletableFuture.supplyAsync(() -> await(sandbox));
        return new Result(in(code), in(output), in(errors));
    }

    private static int await(Sandbox sandbox) {
        try {
            return sandbox.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /// Runs a command without a sandbox.
    Result runFreely(Object... command) throws Exception {
        var builder = new ProcessBuilder(words(command)).directory(work.toFile());
        builder.environment().clear();
        builder.environment().putAll(VARIABLES);
        var process = builder.start();
        try {
            process.getOutputStream().close();
            var output = text(process.getInputStream());
            var errors = text(process.getErrorStream());
            return new Result(in(process.onExit()).exitValue(), in(output), in(errors));
        } finally {
            process.destroyForcibly();
        }
    }

    private static <T> T in(CompletableFuture<T> future)
            throws InterruptedException, ExecutionException, TimeoutException {
        return future.get(PATIENCE, TimeUnit.SECONDS);
    }

    private static CompletableFuture<String> text(InputStream stream) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try (stream) {
                        return new String(stream.readAllBytes(), UTF_8);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
    }

    private static List<String> words(Object... command) {
        return List.of(command).stream().map(Object::toString).toList();
    }

    /// Runs a shell command in the sandbox.
    Result sh(String command) throws Exception {
        return run("/bin/sh", "-c", command);
    }

    /// Compiles a program in C; `say` tells what came of a call, `tell` what a descriptor has.
    Path compile(String name, String source) throws Exception {
        var compiler = Path.of("/usr/bin/gcc");
        assumeTrue(Files.isExecutable(compiler), "needs gcc");
        var file = Files.writeString(tools.resolve(name + ".c"), EVERYTHING_A_PROBE_NEEDS + source);
        var program = tools.resolve(name);
        var result = runFreely(compiler, "-w", "-o", program, file, "-lpthread");
        assertThat(result.errors()).isEmpty();
        return program;
    }

    /// Writes a file and the folders above it.
    static Path file(Path path, String text) throws IOException {
        Files.createDirectories(path.resolveSibling("."));
        return Files.writeString(path, text);
    }
}
