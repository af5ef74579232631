// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static dev.writ.backends.process.Trial.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.writ.backends.process.Trial.End;
import dev.writ.core.audit.InMemoryAuditLog;
import dev.writ.core.broker.Approver;
import dev.writ.core.broker.Approver.Answer;
import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Policy;
import dev.writ.core.sandbox.Sandbox;
import dev.writ.core.sandbox.SandboxException;
import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Whatever goes wrong around a sandbox, nothing is permitted by mistake, nobody else is held up,
/// and nothing is left behind: no process, no thread, no descriptor. `fault.c` is what runs in it.
class FaultIT {
    private static final Random RANDOM = new Random(Long.getLong("writ.seed", 7));
    private static final Answer YES = new Answer.Approved("test");

    @TempDir Path temporary;
    private Trial trial;
    private Map<String, Integer> descriptors;

    @BeforeEach
    void given() throws Exception {
        trial = new Trial(temporary);
        trial.file("a", "fine");
        trial.file("b", "Canary");
        trial.compile("fault.c", "fault");
        // What the first run of all loads and keeps open is not left behind by the test.
        trial.run(policy(), "fault", "nothing", "0");
        assertThat(trial.run(policy(), "/bin/sh", "-c", "cat b").code()).isNotZero();
        // Without descriptors no class could be loaded any more.
        assertThatThrownBy(() -> trial.start(policy(), "no-such-program"))
                .isInstanceOf(SandboxException.class);
        assertThat(Mounts.of("1 0 0:0 / / - unknown").type(FilePath.ROOT)).isEqualTo("unknown");
        // A thread that has been given a job and has not begun with it still looks idle.
        eventually("the first run is over", () -> threads().isEmpty() && !isListening());
        descriptors = descriptors();
    }

    @AfterEach
    void nothing_is_left() throws Exception {
        try {
            eventually("no thread is left", () -> threads().isEmpty());
            eventually("no process is left", () -> processes().isEmpty());
            eventually("no descriptor is left", () -> descriptors().equals(descriptors));
        } catch (AssertionError e) {
            assertThat(List.of(threads(), processes(), descriptors()))
                    .isEqualTo(List.of(List.of(), List.of(), descriptors));
            throw e;
        }
    }

    /// The threads that do something for a sandbox: not those that wait for the next one, nor the
    /// ones that start threads for the host and look at all sandboxes.
    private static List<String> threads() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(t -> t.getKey().getName().startsWith("writ-"))
                .filter(t -> !t.getKey().getName().matches("writ-(starter|meter)"))
                .filter(t -> Stream.of(t.getValue()).noneMatch(FaultIT::isIdle))
                .map(t -> t.getKey().getName())
                .toList();
    }

    private static boolean isIdle(StackTraceElement frame) {
        return frame.getClassName().equals(Crew.Member.class.getName())
                && frame.getMethodName().equals("await");
    }

    /// The processes that work in the folder.
    private List<String> processes() throws IOException {
        try (var all = Files.list(Path.of("/proc"))) {
            return all.filter(this::isHere).map(Path::toString).toList();
        }
    }

    private boolean isHere(Path process) {
        try {
            return process.getFileName().toString().matches("\\d+")
                    && Files.readSymbolicLink(process.resolve("cwd")).startsWith(trial.folder);
        } catch (IOException e) {
            return false;
        }
    }

    /// What this process has open, and how often.
    private static Map<String, Integer> descriptors() throws IOException {
        var open = new TreeMap<String, Integer>();
        try (var all = Files.list(Path.of("/proc/self/fd"))) {
            for (var descriptor : all.toList()) {
                open.merge(target(descriptor).replaceAll("[0-9]+", "N"), 1, Integer::sum);
            }
        }
        return open;
    }

    private static boolean isListening() throws IOException {
        return descriptors().keySet().stream().anyMatch(d -> d.contains("seccomp"));
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return "the list itself";
        }
    }

    private Policy policy(String... more) {
        return trial.policy(
                Stream.concat(
                                Stream.of("allow write:.", "deny read:./b", "deny write:./b"),
                                Stream.of(more))
                        .toArray(String[]::new));
    }

    private static void pause(int milliseconds) throws InterruptedException {
        Thread.sleep(RANDOM.nextInt(milliseconds));
    }

    private ProcessHandle first() {
        return ProcessHandle.current()
                .children()
                .filter(c -> isHere(Path.of("/proc/" + c.pid())))
                .findFirst()
                .orElseThrow();
    }

    private void makeFifo() throws Exception {
        assertThat(new ProcessBuilder("mkfifo", trial.folder.resolve("fifo").toString()).start())
                .satisfies(p -> assertThat(p.waitFor()).isZero());
    }

    // --- ends ---

    @Test
    void killed_at_any_moment_it_ends_as_killed() throws Exception {
        for (int i = 0; i < 200; i++) {
            var sandbox = trial.start(policy(), "fault", "churn", "600");
            pause(40);
            first().destroyForcibly();

            assertThat(Trial.end(sandbox).code()).isEqualTo(137);
        }
    }

    @Test
    void stopped_at_any_moment_it_ends_as_killed() throws Exception {
        for (int i = 0; i < 100; i++) {
            var sandbox = trial.start(policy(), "fault", "churn", "600");
            int most = i % 2 == 0 ? 1 : 40;
            var other =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            pause(most);
                                            sandbox.stop();
                                            sandbox.stop();
                                        } catch (InterruptedException e) {
                                            throw new AssertionError(e);
                                        }
                                    });

            assertThat(Trial.end(sandbox).code()).isEqualTo(137);
            other.join();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"no-such-program", "a", "."})
    void what_cannot_be_started_leaves_nothing(String program) {
        assertThatThrownBy(() -> trial.start(policy(), program))
                .isInstanceOf(SandboxException.class);
    }

    @Test
    void a_folder_that_is_not_there_leaves_nothing() throws Exception {
        var gone = new Trial(Files.createDirectory(trial.folder.resolve("gone")));
        Files.delete(gone.folder);

        assertThatThrownBy(() -> gone.start(policy(), "/bin/true"))
                .isInstanceOf(SandboxException.class);
    }

    // --- too much of something ---

    @Test
    void without_descriptors_calls_fail_and_work_goes_on_afterwards() throws Exception {
        var sandbox = trial.start(policy(), "fault", "reader", "4");
        Thread.sleep(1000);
        var taken = takeAllDescriptors();
        Thread.sleep(1000);
        for (int i = 0; i < 50; i++) {
            assertThatThrownBy(() -> trial.start(policy(), "fault", "nothing", "0"))
                    .isInstanceOf(SandboxException.class);
        }
        release(taken);

        var end = Trial.end(sandbox);
        assertThat(end.output())
                .matches("good=[1-9]\\d* failed=[1-9]\\d* wrong=0 last=1\n")
                .as("%s", end);
        assertThat(trial.run(policy(), "fault", "nothing", "0").code()).isZero();
    }

    /// Without a descriptor no thread can be given the call, which must be answered all the same.
    @Test
    void without_descriptors_nobody_waits_for_ever() throws Exception {
        makeFifo();
        var sandbox =
                trial.start(
                        policy(),
                        "/bin/sh",
                        "-c",
                        "read x; for i in 1 2 3; do (read y < fifo); done; echo over");
        Thread.sleep(500);
        var taken = takeAllDescriptors();
        sandbox.input().write('\n');
        sandbox.input().flush();
        Thread.sleep(500);
        release(taken);

        try (var pipe = new RandomAccessFile(trial.folder.resolve("fifo").toFile(), "rw")) {
            pipe.writeBytes("1\n2\n3\n");
            assertThat(Trial.end(sandbox).output()).isEqualTo("over\n");
        }
    }

    /// Takes what there is, below a limit that only this test has.
    private Hoard takeAllDescriptors() throws Exception {
        limitDescriptors("" + (descriptors().values().stream().mapToInt(n -> n).sum() + 100));
        return new Hoard(trial.folder.resolve("a"));
    }

    private static void release(Hoard hoard) throws Exception {
        hoard.close();
        limitDescriptors("1000000000");
    }

    /// All descriptors that there are, also those that others had for an instant.
    private static final class Hoard {
        private final List<Closeable> taken = new ArrayList<>();
        private final CountDownLatch full = new CountDownLatch(1);
        private final Thread taker;
        private volatile boolean over;

        Hoard(Path file) throws InterruptedException {
            taker = Thread.ofPlatform().start(() -> take(file));
            full.await();
        }

        private void take(Path file) {
            for (int failures = 0; !over; ) {
                try {
                    taken.add(FileChannel.open(file));
                } catch (IOException e) {
                    if (++failures > 1000) {
                        full.countDown();
                        LockSupport.parkNanos(100_000);
                    }
                }
            }
        }

        void close() throws Exception {
            over = true;
            taker.join();
            for (var one : taken) {
                one.close();
            }
        }
    }

    /// The soft limit only, so that it can be raised again, to at most the hard one.
    private static void limitDescriptors(String most) throws Exception {
        var limits = Files.readAllLines(Path.of("/proc/self/limits"));
        String hard =
                limits.stream()
                        .filter(l -> l.startsWith("Max open files"))
                        .findFirst()
                        .orElseThrow()
                        .split(" {2,}")[2];
        long soft = Math.min(Long.parseLong(most), Long.parseLong(hard));
        try {
            var prlimit =
                    new ProcessBuilder(
                                    "prlimit",
                                    "--pid=" + ProcessHandle.current().pid(),
                                    "--nofile=" + soft + ":" + hard)
                            .start();
            assertThat(prlimit.waitFor()).isZero();
        } catch (IOException e) {
            assumeTrue(false, "prlimit of util-linux is needed");
        }
    }

    @Test
    void a_flood_of_calls_does_not_hold_up_another_sandbox() throws Exception {
        var flood = trial.start(policy(), Approver.nobody(), _ -> {}, "fault", "flood", "4");
        int done = 0;
        for (long end = System.nanoTime() + 3_000_000_000L; System.nanoTime() < end; done++) {
            assertThat(trial.run(policy(), "/bin/sh", "-c", "cat a; cat b").output())
                    .isEqualTo("fine");
        }

        assertThat(done).isGreaterThan(3);
        assertThat(Trial.end(flood).code()).isZero();
    }

    // --- what vanishes, waits and stops ---

    @Test
    void folders_may_vanish_while_names_in_them_are_used() throws Exception {
        var end = trial.run(policy(), "fault", "vanishing", "3");

        assertThat(end.output()).matches("made=\\d+ failed=\\d+\n").as("%s", end);
    }

    @Test
    void in_a_folder_that_is_gone_nothing_can_be_made() throws Exception {
        var end =
                trial.run(
                        policy(),
                        "/bin/sh",
                        "-c",
                        "mkdir d; cd d; rmdir ../d; echo x > y; mkdir z; cat ../b; cat ./b;"
                                + " cd ..; mv b c; ls -d d*; cat a");

        assertThat(end.output()).isEqualTo("fine");
        assertThat(trial.folder.resolve("d")).doesNotExist();
        assertThat(trial.folder.resolve("d (deleted)")).doesNotExist();
    }

    @Test
    void who_waits_at_a_named_pipe_holds_nobody_up() throws Exception {
        makeFifo();

        var end =
                trial.run(
                        policy(),
                        "/bin/sh",
                        "-c",
                        "cat fifo & for i in 1 2 3 4 5; do cat a; done; kill -9 $!; wait; echo .");

        assertThat(end.output()).isEqualTo("fine".repeat(5) + ".\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"cat fifo", "echo x > fifo"})
    void who_is_killed_at_a_named_pipe_frees_everything(String command) throws Exception {
        makeFifo();
        for (int i = 0; i < 50; i++) {
            var sandbox = trial.start(policy(), "/bin/sh", "-c", command);
            pause(30);
            sandbox.stop();

            assertThat(Trial.end(sandbox).code()).isEqualTo(137);
        }
    }

    @Test
    void a_thread_that_waits_is_forgotten_when_another_becomes_a_new_program() throws Exception {
        makeFifo();

        assertThat(trial.run(policy(), "fault", "leave-waiting", "0").code()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"stopped", "stops-itself"})
    void who_is_stopped_while_it_calls_can_go_on(String what) throws Exception {
        makeFifo();

        assertThat(trial.run(policy(), "fault", what, "0")).isEqualTo(new End(7, "", ""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"told-to-end", "rings-at-pipe", "rings-and-goes-on", "rings-at-socket"})
    void who_waits_hears_signals(String what) throws Exception {
        makeFifo();

        assertThat(trial.run(policy("allow unix:."), "fault", what, "0"))
                .isEqualTo(new End(7, "", ""));
    }

    // --- the operator ---

    private Sandbox asking(Approver approver, String script) {
        return trial.start(
                policy("ask write:./asked", "ask exec:/usr/bin/env"),
                approver,
                new InMemoryAuditLog(),
                "/bin/sh",
                "-c",
                script);
    }

    @ParameterizedTest
    @ValueSource(strings = {"echo x > asked", "env"})
    void what_an_approver_throws_is_a_refusal(String command) throws Exception {
        Approver throwing =
                (_, _) -> {
                    throw new IllegalStateException("no");
                };
        Approver broken =
                (_, _) -> {
                    throw new AssertionError("no");
                };

        for (var approver : List.of(throwing, broken)) {
            assertThat(Trial.end(asking(approver, command + " || cat a")).output())
                    .isEqualTo("fine");
            assertThat(trial.folder.resolve("asked")).doesNotExist();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"echo x > asked", "env > asked.env"})
    void siblings_go_on_while_the_operator_thinks(String command) throws Exception {
        var answer = new CountDownLatch(1);
        var sandbox =
                asking(
                        (_, _) -> {
                            try {
                                answer.await();
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                            return YES;
                        },
                        "("
                                + command
                                + "; echo x > late) & while ! test -e go; do cat a > done;"
                                + " done; wait; cat late");
        eventually("a sibling works", () -> Files.exists(trial.folder.resolve("done")));
        assertThat(trial.folder.resolve("late")).doesNotExist();
        trial.file("go", "");
        answer.countDown();

        assertThat(Trial.end(sandbox).output()).isEqualTo("x\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"echo x > asked", "truncate -s 0 asked", ": > asked", "env > run"})
    void who_dies_while_the_operator_is_asked_is_forgotten(String command) throws Exception {
        boolean truncates = !command.startsWith("echo") && !command.startsWith("env");
        if (truncates) {
            trial.file("asked", "old");
        }
        var asked = new CountDownLatch(1);
        var answer = new CountDownLatch(1);
        var sandbox =
                asking(
                        (_, _) -> {
                            asked.countDown();
                            try {
                                answer.await();
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                            return YES;
                        },
                        command + " & wait");
        asked.await();
        sandbox.stop();

        assertThat(Trial.end(sandbox).code()).isEqualTo(137);
        answer.countDown();
        eventually("the answer is heard", () -> threads().isEmpty());
        if (truncates) {
            assertThat(trial.folder.resolve("asked")).hasContent("old");
        } else {
            assertThat(trial.folder.resolve("asked")).doesNotExist();
        }
    }

    /// While a question about a file is open, another thread puts a folder in its place.
    @Test
    void what_is_approved_for_a_file_moves_no_folder() throws Exception {
        trial.file("file", "");
        trial.file("folder/secret", "Canary");
        Files.createDirectory(trial.folder.resolve("deep"));
        var sandbox =
                trial.start(
                        policy("deny read:./*/secret", "ask write:./deep/**"),
                        (_, _) -> {
                            exchange();
                            return YES;
                        },
                        new InMemoryAuditLog(),
                        "/bin/sh",
                        "-c",
                        "mv -T file deep/file; cat deep/file/secret; cat a");

        assertThat(Trial.end(sandbox).output()).isEqualTo("fine");
    }

    private void exchange() {
        try {
            Files.move(trial.folder.resolve("file"), trial.folder.resolve("other"));
            Files.move(trial.folder.resolve("folder"), trial.folder.resolve("file"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // --- the record ---

    @Test
    void what_cannot_be_recorded_is_refused() throws Exception {
        for (var problem : List.of(new IllegalStateException("full"), new AssertionError("full"))) {
            var broken = new boolean[1];
            var sandbox =
                    trial.start(
                            policy(),
                            Approver.nobody(),
                            event -> {
                                if (Files.exists(trial.folder.resolve("full")) || broken[0]) {
                                    broken[0] = true;
                                    throwUnchecked(problem);
                                }
                            },
                            "/bin/sh",
                            "-c",
                            "echo . > full; read x < a; echo $x; /usr/bin/env; echo $?");

            assertThat(Trial.end(sandbox).output()).isEqualTo("\n126\n");
            Files.delete(trial.folder.resolve("full"));
        }
    }

    private static void throwUnchecked(Throwable problem) {
        switch (problem) {
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new AssertionError(problem);
        }
    }
}
