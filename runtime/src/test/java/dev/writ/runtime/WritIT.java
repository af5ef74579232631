// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.writ.backends.process.ProcessBackend;
import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.AuditLog;
import dev.writ.core.broker.Approver;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Source;
import dev.writ.core.sandbox.SandboxException;
import dev.writ.core.sandbox.SandboxSpec.Streams;
import dev.writ.runtime.policy.PolicyLoader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What a host application gets: sessions in which commands run confined, and nothing that ever
/// restricts the host itself.
@Timeout(120)
class WritIT {
    private static final int MEGABYTES = 10;
    private static final int MANY = 140;

    @TempDir Path temporary;
    private Path folder;

    @BeforeEach
    void given() throws IOException {
        folder = temporary.toRealPath();
        Files.writeString(folder.resolve("secret"), "Canary");
        Files.writeString(folder.resolve("note"), "fine");
    }

    private Policy policy() {
        return policy(Effect.DENY, "exec:/usr/bin/env");
    }

    private Policy policy(Effect effect, String rule) {
        var config = Config.of(folder, Map.of("PATH", "/usr/bin:/bin", "HOME", "/nowhere"));
        var here = FilePath.of(folder.toString());
        return new PolicyLoader(config.scope(here), config.ownFolders())
                .profile("workspace", Source.of("test"))
                .rule(Effect.DENY, "read:./secret", here)
                .rule(Effect.DENY, "write:./secret", here)
                .rule(effect, rule, here)
                .load();
    }

    private Session open() {
        return open(new Writ(Map.of("LANG", "C.UTF-8")));
    }

    private Session open(Writ writ) {
        return writ.open(policy(), FilePath.of(folder.toString()));
    }

    private static List<String> sh(String script) {
        return List.of("sh", "-c", script);
    }

    // --- a command ---

    @Test
    void a_command_gives_its_output_its_errors_and_its_exit_code() throws Exception {
        try (var session = open()) {
            assertThat(session.run(sh("cat note; echo no >&2; exit 3")))
                    .isEqualTo(new Outcome(3, "fine", "no\n", List.of()));
        }
    }

    @Test
    void a_limit_that_was_reached_is_in_the_outcome_and_among_the_events() throws Exception {
        var limited = policy(Effect.ALLOW, "limit:time=300ms");
        try (var session = new Writ(Map.of()).open(limited, FilePath.of(folder.toString()))) {
            var outcome = session.run(sh("sleep 30 & sleep 30"));

            assertThat(outcome.exitCode()).isEqualTo(124);
            assertThat(outcome.reached())
                    .singleElement()
                    .satisfies(
                            r -> {
                                assertThat(r.limit().printAmount()).isEqualTo("300ms");
                                assertThat(r.ended()).isTrue();
                            });
            assertThat(session.events()).hasAtLeastOneElementOfType(AuditEvent.LimitReached.class);
        }
    }

    @Test
    void a_limit_holds_although_it_cannot_be_recorded() throws Exception {
        AuditLog full =
                event -> {
                    if (event instanceof AuditEvent.LimitReached) {
                        throw new UncheckedIOException(new IOException("no space left"));
                    }
                };
        var here = FilePath.of(folder.toString());
        var few = policy(Effect.ALLOW, "limit:procs=3");
        try (var session = new Writ(Map.of()).open(few, here, full)) {
            var outcome = session.run(sh("for i in 1 2 3 4 5; do sleep 1 & done; wait"));

            assertThat(outcome.exitCode()).as("its own, after a fork that failed").isEqualTo(2);
            assertThat(outcome.reached()).hasSize(1);
        }
        var brief = policy(Effect.ALLOW, "limit:time=300ms");
        try (var session = new Writ(Map.of()).open(brief, here, full)) {
            assertThat(session.run(sh("sleep 30 & sleep 30")).exitCode()).isEqualTo(124);
        }
    }

    @Test
    void what_was_refused_is_among_the_events() throws Exception {
        try (var session = open()) {
            var outcome = session.run(List.of("cat", "secret"));

            assertThat(outcome.exitCode()).isEqualTo(1);
            assertThat(outcome.output()).isEmpty();
            assertThat(session.events())
                    .filteredOn(e -> e instanceof AuditEvent.Judged judged && !judged.permitted())
                    .extracting(e -> ((AuditEvent.Judged) e).action())
                    .containsExactly(
                            new Action.ReadFile(FilePath.of(folder.resolve("secret").toString())));
        }
    }

    @Test
    void a_command_that_is_not_there_is_said_to_be_not_found() {
        try (var session = open()) {
            assertThatThrownBy(() -> session.run(List.of("no-such-command")))
                    .isInstanceOf(NoSuchElementException.class)
                    .hasMessage("command not found: `no-such-command`");
        }
    }

    @Test
    void a_command_that_is_denied_says_so() throws Exception {
        try (var session = open()) {
            var outcome = session.run(List.of("env"));

            assertThat(outcome.exitCode()).isEqualTo(126);
            assertThat(outcome.output()).isEmpty();
            assertThat(outcome.errors()).startsWith("writ: denied: ").contains("exec:/usr/bin/env");
        }
    }

    @Test
    void a_program_is_told_where_it_is_and_not_where_this_process_is() throws Exception {
        var real = Files.createDirectory(folder.resolve("real"));
        var link = Files.createSymbolicLink(folder.resolve("link"), real);
        for (var elsewhere : List.of("/", "nowhere", "\0", folder.resolve("gone").toString())) {
            assertThat(place(elsewhere, real)).isEqualTo(real.toString());
        }
        assertThat(place(link.toString(), real)).isEqualTo(link.toString());
    }

    private String place(String pwd, Path where) throws Exception {
        try (var session =
                new Writ(Map.of("PWD", pwd))
                        .open(
                                policy(Effect.ALLOW, "exec:/usr/bin/printenv"),
                                FilePath.of(where.toString()))) {
            return session.run(List.of("printenv", "PWD")).output().strip();
        }
    }

    @Test
    void input_is_passed() throws Exception {
        try (var session = open()) {
            var cat = session.find("cat").orElseThrow();
            try (var sandbox = session.start(cat, List.of("cat"), Streams.PIPED)) {
                try (var input = sandbox.input()) {
                    input.write("hello".getBytes(java.nio.charset.StandardCharsets.UTF_8));
                }

                assertThat(sandbox.output().readAllBytes()).asString().isEqualTo("hello");
                assertThat(sandbox.await()).isZero();
            }
        }
    }

    @Test
    void much_output_on_both_streams_at_once_is_read_whole() throws Exception {
        try (var session = open()) {
            String much = "head -c " + MEGABYTES + "000000 /dev/zero";

            var outcome = session.run(sh(much + " >&2 & " + much + "; wait"));

            assertThat(outcome.exitCode()).isZero();
            assertThat(outcome.output()).hasSize(MEGABYTES * 1_000_000);
            assertThat(outcome.errors()).hasSize(MEGABYTES * 1_000_000);
        }
    }

    /// Whoever reads slowly makes the program wait, and loses nothing.
    @Test
    void much_goes_each_way_at_once_unchanged_past_a_slow_reader() throws Exception {
        byte[] block = new byte[1 << 20];
        new Random(7).nextBytes(block);
        try (var session = open()) {
            var cat = session.find("cat").orElseThrow();
            try (var sandbox = session.start(cat, List.of("cat"), Streams.PIPED)) {
                var sent = MessageDigest.getInstance("SHA-256");
                var sender =
                        CompletableFuture.runAsync(
                                () -> {
                                    try (var input = sandbox.input()) {
                                        for (int i = 0; i < 100; i++) {
                                            input.write(block);
                                            sent.update(block);
                                        }
                                    } catch (IOException e) {
                                        throw new UncheckedIOException(e);
                                    }
                                });
                var got = MessageDigest.getInstance("SHA-256");
                byte[] buffer = new byte[1 << 16];
                var output = sandbox.output();
                for (int n = output.read(buffer), i = 0; n >= 0; n = output.read(buffer), i++) {
                    got.update(buffer, 0, n);
                    if (i % 100 == 0) {
                        Thread.sleep(20);
                    }
                }
                sender.get();

                assertThat(got.digest()).isEqualTo(sent.digest());
                assertThat(sandbox.await()).isZero();
            }
        }
    }

    // --- the host ---

    @Test
    void the_host_can_do_after_two_hundred_sessions_what_they_could_not() throws Exception {
        var before = rights(Path.of("/proc/thread-self/status"));
        var writ = new Writ(Map.of());
        try (var pool = Executors.newFixedThreadPool(4)) {
            var sessions = new ArrayList<Future<?>>();
            for (int i = 0; i < 200; i++) {
                int n = i;
                sessions.add(pool.submit(() -> oneOfMany(writ, n)));
            }
            for (var session : sessions) {
                session.get();
            }
        }

        try (var server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress())) {
            Callable<Boolean> everything = () -> doEverything(server);
            everything.call();
            everywhere(everything);
        }
        try (var threads = Files.list(Path.of("/proc/self/task"))) {
            for (var thread : threads.toList()) {
                try {
                    hasAllRights(thread, before);
                } catch (IOException | UncheckedIOException e) {
                    assertThat(thread).as("a thread that is still there").doesNotExist();
                }
            }
        }
    }

    private static void hasAllRights(Path thread, String before) throws IOException {
        if (comm(thread).equals("writ-confined")) {
            return; // waits for the next program, and does nothing else
        }
        assertThat(restrictions(thread)).containsExactly("0", "0");
        if (!comm(thread).matches("writ-(crew|meter)")) { // they want nothing
            assertThat(rights(thread.resolve("status"))).as(comm(thread)).isEqualTo(before);
        }
    }

    private Void oneOfMany(Writ writ, int n) throws Exception {
        switch (n % 5) {
            case 0 -> {
                // Comes to the proxy of the session, which nobody needed before.
                var policy = policy(Effect.ALLOW, "net:GET=http://127.0.0.1:9/**");
                try (var session = writ.open(policy, FilePath.of(folder.toString()))) {
                    var python =
                            "import socket; s=socket.create_connection(('127.0.0.1',9));"
                                    + " s.sendall(b'GET / HTTP/1.0\\r\\n\\r\\n');"
                                    + " print(s.recv(12).decode())";
                    assertThat(session.run(List.of("/usr/bin/python3", "-c", python)).output())
                            .isEqualTo("HTTP/1.1 502\n");
                }
            }
            case 1 -> {
                try (var session = open(writ)) {
                    assertThat(
                                    session.run(sh("cat note; cat secret; echo x > secret; env"))
                                            .output())
                            .isEqualTo("fine");
                }
            }
            case 2 -> {
                try (var session = open(writ)) {
                    var nothing = FilePath.of(folder.resolve("note").toString());
                    assertThatThrownBy(() -> session.start(nothing, List.of("note"), Streams.PIPED))
                            .isInstanceOf(SandboxException.class);
                }
            }
            default -> {
                var gone = FilePath.of(folder.resolve("gone").toString());
                try (var session = writ.open(policy(), gone)) {
                    assertThatThrownBy(() -> session.run(sh("true")))
                            .isInstanceOf(SandboxException.class);
                }
            }
        }
        return null;
    }

    private boolean doEverything(ServerSocket server) throws Exception {
        var secret = folder.resolve("secret");
        assertThat(secret).hasContent("Canary");
        Files.writeString(secret, "Canary");
        assertThat(new ProcessBuilder("/usr/bin/env").start().waitFor()).isZero();
        var cat = new ProcessBuilder("cat", secret.toString()).start();
        assertThat(cat.getInputStream().readAllBytes()).asString().isEqualTo("Canary");
        try (var socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
            assertThat(socket.isConnected()).isTrue();
        }
        return true;
    }

    /// On every sort of thread that a host has.
    private static void everywhere(Callable<Boolean> everything) throws Exception {
        try (var platform = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory());
                var virtual = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 4; i++) {
                assertThat(platform.submit(everything).get()).isTrue();
                assertThat(virtual.submit(everything).get()).isTrue();
                assertThat(ForkJoinPool.commonPool().submit(everything).get()).isTrue();
            }
        }
    }

    private static List<String> restrictions(Path thread) throws IOException {
        return Stream.of("NoNewPrivs", "Seccomp")
                .map(name -> field(thread.resolve("status"), name))
                .toList();
    }

    private static String rights(Path status) {
        return field(status, "CapEff") + " " + field(status, "Umask");
    }

    private static String comm(Path thread) throws IOException {
        return Files.readString(thread.resolve("comm")).strip();
    }

    private static String field(Path status, String name) {
        try {
            return Files.readAllLines(status).stream()
                    .filter(line -> line.startsWith(name + ":"))
                    .findFirst()
                    .orElseThrow()
                    .substring(name.length() + 1)
                    .strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// An approver may use whatever pool the host has. A thread which that starts must have all
    /// rights, and the umask of the host instead of one that a confined process has set.
    @Test
    void what_an_approver_starts_has_the_rights_of_the_host() throws Exception {
        var before = rights(Path.of("/proc/thread-self/status"));
        var seen = new ArrayList<String>();
        Approver asking =
                (_, _) -> {
                    var started = new CompletableFuture<String>();
                    Thread.ofPlatform()
                            .start(
                                    () ->
                                            started.complete(
                                                    rights(Path.of("/proc/thread-self/status"))));
                    seen.add(started.join());
                    return new Approver.Answer.Approved("test");
                };
        var writ = new Writ(Map.of(), new ProcessBackend(), asking, Set.of());
        for (var rule : List.of("write:./asked", "exec:/usr/bin/env")) {
            try (var session =
                    writ.open(policy(Effect.ASK, rule), FilePath.of(folder.toString()))) {
                session.run(sh("umask 0; echo x > new; echo x > asked; env"));
            }
        }

        assertThat(seen).containsExactly(before, before);
    }

    @Test
    void commands_that_take_long_leave_virtual_threads_to_the_host() throws Exception {
        var writ = new Writ(Map.of());
        try (var pool = Executors.newCachedThreadPool()) {
            var ends = new ArrayList<Future<Outcome>>();
            for (int i = 0; i < MANY; i++) {
                ends.add(pool.submit(() -> runIn(writ)));
            }
            var host = new CompletableFuture<String>();
            try {
                while (started() < MANY) {
                    Thread.sleep(10);
                }
                Thread.startVirtualThread(() -> host.complete("works"));

                assertThat(host.get(20, TimeUnit.SECONDS)).isEqualTo("works");
            } finally {
                Files.writeString(folder.resolve("go"), "");
            }
            for (var end : ends) {
                assertThat(end.get().exitCode()).isZero();
            }
        }
    }

    private Outcome runIn(Writ writ) throws InterruptedException {
        try (var session = open(writ)) {
            return session.run(sh("echo > up.$$; while ! test -e go; do sleep 0.5; done"));
        }
    }

    private long started() throws IOException {
        try (var all = Files.list(folder)) {
            return all.filter(f -> f.getFileName().toString().startsWith("up.")).count();
        }
    }
}
