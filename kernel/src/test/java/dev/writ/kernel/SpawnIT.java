// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SpawnIT {
    @TempDir Path temporary;
    private Path folder;

    @BeforeEach
    void given() throws Exception {
        folder = temporary.toRealPath();
    }

    @Test
    void a_program_gets_its_words_its_variables_and_its_folder() {
        try (var child = new Child(folder, "echo $0 $1 $A $HOME; pwd")) {
            assertThat(child.output()).isEqualTo("zero one 1\n" + folder + "\n");
        }
    }

    @Test
    void a_program_is_confined_and_this_process_is_not() throws Exception {
        try (var child =
                        new Child(
                                folder, "grep -E '^(NoNewPrivs|Seccomp|CapEff)' /proc/$$/status");
                var threads = Files.list(Path.of("/proc/self/task"))) {
            assertThat(child.output())
                    .contains("NoNewPrivs:\t1\n", "Seccomp:\t2\n", "CapEff:\t0000000000000000\n");
            for (var thread : threads.toList()) {
                // Those are made for it: one that ends, and one that waits for the next program.
                try {
                    if (!Child.field(thread + "/status", "Name").equals("writ-confined")) {
                        assertThat(Child.field(thread + "/status", "NoNewPrivs")).isEqualTo("0");
                        assertThat(Child.field(thread + "/status", "Seccomp")).isEqualTo("0");
                    }
                } catch (NoSuchFileException e) {
                    // It has ended meanwhile.
                }
            }
        }
    }

    @Test
    void a_thread_that_is_kept_for_one_filter_starts_no_program_with_another() {
        for (int i = 0; i < 3; i++) {
            try (var child = new Child(folder, "echo first")) {
                assertThat(child.output()).isEqualTo("first\n");
            }
        }
        try (var child = new Child(folder, "uname -s || echo refused", Call.UNAME)) {
            assertThat(child.notifications.await()).isTrue();
            assertThat(child.notifications.receive()).isEqualTo(Notifications.Received.A_CALL);
            child.notifications.answer(child.notifications.notification().id(), -Errno.EPERM);
            assertThat(child.output()).contains("refused\n");
        }
        try (var child = new Child(folder, "uname -s || echo refused")) {
            assertThat(child.output()).isEqualTo("Linux\n");
        }
    }

    @Test
    void a_program_gets_three_descriptors_and_no_more() {
        try (var kernel = new Kernel()) {
            // Without O_CLOEXEC, as a library of the host may have it.
            long leaking =
                    kernel.call(
                            Call.OPENAT.number(),
                            FileCalls.AT_FDCWD,
                            kernel.text(Child.bytes("/dev/null")).address(),
                            0,
                            0);
            try (var child = new Child(folder, "cd /proc/$$/fd; echo *")) {
                assertThat(child.output().strip().split(" ")).startsWith("0", "1", "2");
                assertThat(child.output()).doesNotContain(" " + leaking);
            }
            new FileCalls(kernel).close((int) leaking);
        }
    }

    @Test
    void a_program_has_a_session_of_its_own_and_no_signal_blocked_or_ignored() {
        try (var child =
                new Child(
                        folder,
                        "cut -d' ' -f6 /proc/$$/stat; grep -E '^Sig(Blk|Ign)' /proc/self/status")) {
            assertThat(child.output())
                    .isEqualTo(
                            child.pid()
                                    + "\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
        }
    }

    @Test
    void what_cannot_be_started_says_which_call_failed() {
        try (var child = new Child(folder.resolve("gone"), "true")) {
            assertThatThrownBy(child::pid)
                    .isInstanceOf(CompletionException.class)
                    .hasRootCauseMessage("posix_spawn failed: errno 2 (no such file)");
        }
    }

    @Test
    void a_ruleset_holds_for_the_program_itself() {
        assumeTrue(Landlock.abi() > 0, "Landlock is needed");
        try (var kernel = new Kernel()) {
            int ruleset = Landlock.create(kernel, Landlock.abi(kernel));
            try (var child = new Child(folder, ruleset, "true")) {
                assertThatThrownBy(child::pid)
                        .hasRootCauseMessage("posix_spawn failed: errno 13 (access denied)");
            }
            new FileCalls(kernel).close(ruleset);
        }
    }
}
