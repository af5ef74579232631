// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.backends.program.Programs;
import dev.writ.core.audit.InMemoryAuditLog;
import dev.writ.core.audit.SessionId;
import dev.writ.core.broker.Approver;
import dev.writ.core.broker.Broker;
import dev.writ.core.policy.Policy;
import dev.writ.core.sandbox.Sandbox;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.Landlock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A confined program changes what its calls refer to while they are judged: strings and addresses
/// in its memory, links and names in its folder, the words of what it starts. `race.c` is that
/// program. In the folder it may use everything called `a` and nothing called `b`.
class RaceIT {
    /// In all, a soak makes more than ten million tries.
    private static final int SECONDS = Trial.soak() == 1 ? 2 : 3 * Trial.soak();

    private static final Pattern REPORT =
            Pattern.compile("tries=(\\d+) wins=(\\d+) done=(\\d+) refused=(\\d+)\n");
    private static final AtomicLong ALL_TRIES = new AtomicLong();

    @TempDir Path temporary;
    private Trial trial;
    private final List<AutoCloseable> open = new ArrayList<>();
    private int port;

    private record Report(long tries, long wins, long done, long refused) {}

    @BeforeEach
    void given() throws Exception {
        trial = new Trial(temporary);
        trial.file("a", "fine");
        trial.file("b", "Canary");
        trial.file("r", "to be read");
        trial.file("da/file", "fine");
        trial.file("db/file", "Canary");
        trial.file("s", "");
        trial.file("s2/secret", "Canary");
        Files.createDirectory(trial.folder.resolve("deep"));
        var program = trial.compile("race.c", "race");
        copy(program, "tool-a");
        copy(program, "tool-b");
        link("link", "a");
        link("way", "da");
        listen("socket-a");
        listen("socket-b");
        var server = new ServerSocket(0, 1000, InetAddress.getByName("0.0.0.0"));
        open.add(server);
        port = server.getLocalPort();
        accept(server::accept);
    }

    /// A copy that is not known as one: a copy of a denied program is denied.
    private void copy(Path program, String name) throws IOException {
        var copy = Files.copy(program, trial.folder.resolve(name));
        Files.writeString(copy, name, StandardOpenOption.APPEND);
    }

    private void link(String name, String target) throws IOException {
        Files.createSymbolicLink(trial.folder.resolve(name), Path.of(target));
    }

    private void listen(String name) throws IOException {
        // A name that fits into an address, however deep the folder is.
        var socket = Path.of("").toAbsolutePath().relativize(trial.folder.resolve(name));
        var server =
                ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                        .bind(UnixDomainSocketAddress.of(socket), 1000);
        open.add(server);
        accept(server::accept);
    }

    private interface Server {
        AutoCloseable accept() throws Exception;
    }

    private static void accept(Server server) {
        Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            try {
                                while (true) {
                                    server.accept().close();
                                }
                            } catch (Exception e) {
                                // closed at the end of the test
                            }
                        });
    }

    @AfterEach
    void close() throws Exception {
        for (var resource : open) {
            resource.close();
        }
    }

    @AfterAll
    static void report() {
        System.out.println("RaceIT: " + ALL_TRIES + " tries in all");
    }

    private Policy policy() {
        return trial.policy(
                "allow write:.",
                "deny read:./b",
                "deny write:./b",
                "deny write:./r",
                "deny read:./db",
                "deny write:./db",
                "deny read:./*/secret",
                "ask write:./deep",
                "allow unix:./socket-a",
                "allow net:tcp://127.0.0.1:" + port,
                "deny exec:./tool-b",
                "deny exec:./tool-a tool b");
    }

    private Sandbox confined(String kind) {
        // Nobody can keep a record of that many tries in memory.
        return trial.start(
                policy(),
                (_, _) -> new Approver.Answer.Approved("test"),
                _ -> {},
                command(kind, SECONDS));
    }

    private String[] command(String kind, int seconds) {
        return new String[] {"race", kind, "" + seconds, "" + port};
    }

    private Sandbox careless(String kind) {
        return careless(kind, -1);
    }

    private Sandbox careless(String kind, int ruleset) {
        var policy = trial.policy();
        var broker =
                new Broker(
                        policy, Approver.nobody(), new InMemoryAuditLog(), InstantSource.system());
        return Careless.start(
                trial,
                new ExecStop(
                        policy,
                        broker,
                        new SessionId("careless"),
                        Careless.tree(),
                        Programs.of(policy)),
                ruleset,
                command(kind, 2));
    }

    private static Report report(Sandbox sandbox) throws Exception {
        var end = Trial.end(sandbox);
        var match = REPORT.matcher(end.output());
        assertThat(match.matches()).as("%s", end).isTrue();
        return new Report(number(match, 1), number(match, 2), number(match, 3), number(match, 4));
    }

    private static long number(Matcher match, int group) {
        return Long.parseLong(match.group(group));
    }

    /// Somebody outside, who is not confined, lets links lead here and there.
    private void startFlipper() throws IOException {
        var flipper =
                new ProcessBuilder("" + trial.folder.resolve("race"), "flip")
                        .directory(trial.folder.toFile())
                        .start();
        open.add(() -> flipper.destroyForcibly().waitFor());
    }

    /// What flips lies in memory.
    static Stream<String> inMemory() {
        return """
                read write flags unlink rename replace chmod truncate link
                unix inet
                exec-word exec-file exec-sibling exec-mapping
                """
                .lines()
                .flatMap(line -> Stream.of(line.split(" ")));
    }

    @ParameterizedTest
    @MethodSource("inMemory")
    void what_is_judged_is_what_is_used(String kind) throws Exception {
        assertNoWin(kind);
    }

    @ParameterizedTest
    @ValueSource(strings = {"symlink", "folder"})
    void links_that_others_turn_meanwhile_lead_nowhere_else(String kind) throws Exception {
        startFlipper();

        assertNoWin(kind);
    }

    @ParameterizedTest
    @ValueSource(strings = {"inner-symlink", "inner-folder", "names", "move"})
    void links_and_names_that_a_sibling_changes_lead_nowhere_else(String kind) throws Exception {
        assertNoWin(kind);
    }

    private void assertNoWin(String kind) throws Exception {
        var report = report(confined(kind));

        System.out.println("RaceIT: " + kind + ": " + report);
        ALL_TRIES.addAndGet(report.tries());
        assertThat(report.wins()).as("%s", report).isZero();
        assertThat(report.done()).as("what is allowed works: %s", report).isPositive();
        assertThat(report.refused()).as("what is not was tried: %s", report).isPositive();
        assertThat(trial.folder.resolve("b")).hasContent("Canary");
        assertThat(trial.folder.resolve("r")).hasContent("to be read");
        assertThat(trial.folder.resolve("marker")).doesNotExist();
    }

    @ParameterizedTest
    @MethodSource("inMemory")
    void who_lets_the_kernel_look_again_loses(String kind) throws Exception {
        assertLoses(kind);
    }

    /// Sooner or later: on a busy machine the other thread may not have its turn for a while.
    private void assertLoses(String kind) throws Exception {
        long wins = 0;
        for (int n = 0; n < 20 && wins == 0; n++) {
            wins = report(careless(kind)).wins();
        }
        assertThat(wins).isPositive();
    }

    /// The second wall: where the supervisor lets a connection pass, the kernel does not.
    @Test
    void who_lets_the_kernel_look_again_still_connects_nowhere_under_landlock() throws Exception {
        try (var kernel = new Kernel()) {
            var plan = new ProcessBackend().plan(policy());
            int ruleset = Confinement.ruleset(kernel, plan, Landlock.abi(kernel));
            try {
                var report = report(careless("inet", ruleset));

                assertThat(report.tries()).isPositive();
                assertThat(report.wins() + report.done()).as("%s", report).isZero();
            } finally {
                new FileCalls(kernel).close(ruleset);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"symlink", "folder"})
    void who_lets_the_kernel_follow_links_again_loses(String kind) throws Exception {
        startFlipper();

        assertLoses(kind);
    }

    @Test
    void without_a_sandbox_names_can_be_changed() throws Exception {
        var race =
                new ProcessBuilder("" + trial.folder.resolve("race"), "names", "1")
                        .directory(trial.folder.toFile())
                        .start();

        assertThat(new String(race.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .doesNotContain(" wins=0 ");
    }
}
