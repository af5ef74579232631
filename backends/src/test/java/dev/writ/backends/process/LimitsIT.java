// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.InMemoryAuditLog;
import dev.writ.core.broker.Approver;
import dev.writ.core.capability.Limit.Resource;
import dev.writ.core.sandbox.ReachedLimit;
import dev.writ.kernel.Arch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Limits hold for everything in a sandbox together. Each hog stops by itself at a bounded size,
/// and says that it got there: without a limit it does.
class LimitsIT {
    private static final int TIME_IS_OVER = 124;
    private static final int KILLED = 137;
    private static final String GOT_THERE = "got there\n";

    @TempDir Path temporary;
    private Trial trial;

    /// How a hog ended, what it said, and what it came up against.
    private record End(int code, String output, List<Reached> reached) {}

    private record Reached(Resource resource, boolean ended) {}

    @BeforeEach
    void given() throws Exception {
        trial = new Trial(temporary);
        trial.compile("hog.c", "hog");
    }

    private End run(String limit, String... command) throws Exception {
        var policy =
                limit.isEmpty()
                        ? trial.policy("allow write:.")
                        : trial.policy("allow write:.", "allow limit:" + limit);
        var sandbox = trial.start(policy, command);
        var end = Trial.end(sandbox);
        return new End(
                end.code(),
                end.output(),
                sandbox.reached().stream()
                        .map(r -> new Reached(r.limit().resource(), r.ended()))
                        .toList());
    }

    @ParameterizedTest
    @CsvSource({
        "time=200ms, sleep, TIME",
        "time=200ms, stopped, TIME",
        "cpu=300ms, burn, CPU",
        "cpu=300ms, burn-threads, CPU",
        "cpu=300ms, burn-leaderless, CPU",
        "cpu=300ms, burn-children, CPU",
        "cpu=300ms, burn-orphans, CPU",
        "memory=64m, touch, MEMORY",
        "memory=64m, read-nothing, MEMORY",
        "memory=64m, touch-leaderless, MEMORY",
        "memory=64m, touch-children, MEMORY",
        "memory=64m, touch-orphans, MEMORY",
        "memory=64m, touch-shared, MEMORY",
        "memory=64m, memfd, MEMORY",
        "memory=64m, memfd-unshared, MEMORY",
        "memory=64m, memfd-in-flight, MEMORY",
        "disk=16m, fill-files, DISK",
        "disk=16m, fill-children, DISK",
        "disk=16m, fill-mapped, DISK",
        "disk=16m, fill-reserved, DISK",
        "disk=4m, fill-empty, DISK",
        "disk=4m, fill-sockets, DISK",
        "disk=4m, fill-attributes, DISK",
        "output=1m, say, OUTPUT",
    })
    void everything_ends(String limit, String hog, Resource resource) throws Exception {
        assumeTrue(
                resource != Resource.DISK || !Files.getFileStore(temporary).type().equals("tmpfs"),
                "a folder on a disk is needed");
        var free = run("", "hog", hog);
        assertThat(free).isEqualTo(new End(0, free.output(), List.of()));
        assertThat(free.output()).endsWith(GOT_THERE);

        var limited = run(limit, "hog", hog);

        assertThat(limited.code()).isEqualTo(resource == Resource.TIME ? TIME_IS_OVER : KILLED);
        assertThat(limited.reached()).containsExactly(new Reached(resource, true));
        assertThat(limited.output()).doesNotContain(GOT_THERE);
    }

    @ParameterizedTest
    @CsvSource({
        "fork, 19",
        "vfork, 19",
        "raw-fork, 19",
        "clone-vm, 19",
        "clone-silent, 19",
        "zombies, 19",
        "daemons, 18", // between a daemon and its parent there is another one
    })
    void one_process_too_many_fails_and_the_program_goes_on(String hog, int born) throws Exception {
        assertThat(run("", "hog", hog).output()).isEqualTo("60 of 60\nmore to come\n");

        var limited = run("procs=20", "hog", hog);

        assertThat(limited)
                .isEqualTo(
                        new End(
                                0,
                                born + " of 60, EAGAIN\nmore to come\n",
                                List.of(new Reached(Resource.PROCS, false))));
    }

    @Test
    void who_is_not_to_be_led_to_take_note_of_an_end_is_ended() throws Exception {
        assumeTrue(Arch.here() == Arch.X86_64, "its code is for x86-64");
        assertThat(run("", "hog", "unled").output()).isEqualTo("0 left\n" + GOT_THERE);

        var limited = run("procs=20", "hog", "unled");

        assertThat(limited)
                .isEqualTo(new End(KILLED, "", List.of(new Reached(Resource.PROCS, false))));
    }

    @Test
    void threads_are_bounded_too() throws Exception {
        assertThat(run("", "hog", "threads").output()).isEqualTo("100 of 100\nmore to come\n");

        var limited = run("procs=2", "hog", "threads");

        assertThat(limited.output()).isEqualTo("79 of 100, EAGAIN\nmore to come\n");
        assertThat(limited.code()).isZero();
    }

    @Test
    void a_thread_that_does_not_end_takes_its_process_with_it() throws Exception {
        assumeTrue(Arch.here() == Arch.X86_64, "its code is for x86-64");
        assertThat(run("", "hog", "endless-chain").output()).isEqualTo("300 of 300\n");
        assertThat(run("procs=2", "hog", "chain").output()).isEqualTo("80 of 300, EAGAIN\n");

        var limited = run("procs=2", "hog", "endless-chain");

        assertThat(limited.output()).isEmpty();
        assertThat(limited.code()).isEqualTo(KILLED);
    }

    @Test
    void a_refused_child_is_no_child() throws Exception {
        var limited = run("procs=1", "hog", "no-child");

        assertThat(limited.output()).isEqualTo("fork EAGAIN, wait ECHILD\n");
        assertThat(limited.code()).isZero();
    }

    @Test
    void signals_and_stops_on_the_way_to_a_refusal_change_nothing() throws Exception {
        var limited = run("procs=2", "hog", "disturbed");

        assertThat(limited.output())
                .isEqualTo("60 refused, one child, wait ECHILD\nmore to come\n");
    }

    @Test
    void descriptors_are_bounded_for_good() throws Exception {
        assertThat(run("", "hog", "descriptors").output()).isEqualTo("300 of 300\n");

        assertThat(run("files=50", "hog", "descriptors").output())
                .isEqualTo("raise EPERM\n47 of 300, EMFILE\n");
    }

    @Test
    void a_file_grows_to_the_limit_and_no_further() throws Exception {
        var limited = run("disk=1m", "hog", "one-file");

        assertThat(limited.output()).isEqualTo("1048576, EFBIG, EFBIG, EFBIG\n");
        assertThat(limited.code()).isZero();
    }

    @Test
    void output_is_cut_where_the_limit_is() throws Exception {
        assertThat(run("output=100000", "hog", "say").output()).hasSize(100_000);
    }

    @Test
    void memory_that_is_shared_counts_once() throws Exception {
        var limited = run("memory=64m", "hog", "share");

        assertThat(limited).isEqualTo(new End(0, GOT_THERE, List.of()));
    }

    /// Of memory that nobody has open one knows by how much the whole machine has.
    @Test
    void memory_that_others_give_back_hides_nothing() throws Exception {
        var others = Path.of("/dev/shm/writ-limits-" + ProcessHandle.current().pid());
        Files.write(others, new byte[256 << 20]);
        Thread.sleep(1100); // as long as what is known of the machine is good for
        others.toFile().deleteOnExit();
        var _ =
                CompletableFuture.runAsync(
                        () -> others.toFile().delete(),
                        CompletableFuture.delayedExecutor(500, TimeUnit.MILLISECONDS));

        var limited = run("memory=64m", "/bin/sh", "-c", "sleep 2; exec ./hog memfd-in-flight");

        assertThat(limited.reached()).containsExactly(new Reached(Resource.MEMORY, true));
        assertThat(limited.output()).doesNotContain(GOT_THERE);
    }

    @Test
    void what_was_reached_is_written_down() throws Exception {
        var log = new InMemoryAuditLog();
        var policy = trial.policy("allow limit:procs=20");

        Trial.end(trial.start(policy, Approver.nobody(), log, "hog", "fork"));

        var events =
                log.events().stream()
                        .filter(AuditEvent.LimitReached.class::isInstance)
                        .map(e -> ((AuditEvent.LimitReached) e))
                        .map(e -> new ReachedLimit(e.rule(), e.ended(), e.times()))
                        .toList();
        var rule = policy.limitRule(Resource.PROCS).orElseThrow();
        assertThat(events)
                .containsExactly(
                        new ReachedLimit(rule, false, 1), new ReachedLimit(rule, false, 41));
        assertThat(events.getFirst().line())
                .isEqualTo(
                        "procs of 20, by `limit:procs=20` (test): calls that wanted more failed;"
                                + " to change that: `limits: {procs: 40}`");
    }

    /// Without any limit in the policy: it forks, without end, until its time is over.
    @Test
    void a_fork_bomb_is_harmless() throws Exception {
        var bomb = run("time=2s", "hog", "bomb");

        assertThat(bomb.code()).isEqualTo(TIME_IS_OVER);
        assertThat(bomb.reached())
                .containsExactlyInAnyOrder(
                        new Reached(Resource.TIME, true), new Reached(Resource.PROCS, false));
    }
}
