// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static dev.writ.backends.process.Trial.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.writ.core.sandbox.Sandbox;
import dev.writ.core.sandbox.SandboxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// While a program is started, those who wait for each other share a processor. Nobody is left with
/// less than before.
class ProcessorsIT {
    @TempDir Path temporary;
    private Trial trial;

    @BeforeEach
    void given() throws Exception {
        trial = new Trial(temporary);
        assumeThat(Runtime.getRuntime().availableProcessors()).isGreaterThan(1);
    }

    private static void requireAllHaveAll() throws Exception {
        var all = processors(Path.of("/proc/self"));
        eventually(
                "all have all",
                () -> {
                    try (var tasks = Files.list(Path.of("/proc/self/task"))) {
                        for (var task : tasks.toList()) {
                            if (Files.exists(task) && !processors(task).equals(all)) {
                                return false;
                            }
                        }
                        return true;
                    } catch (NoSuchFileException e) {
                        return false; // one ended meanwhile
                    }
                });
    }

    /// What a task, or the first one of a process, may run on.
    private static String processors(Path task) throws IOException {
        return Files.readAllLines(task.resolve("status")).stream()
                .filter(line -> line.startsWith("Cpus_allowed_list"))
                .collect(Collectors.joining());
    }

    @Test
    void a_program_has_all_from_its_first_instruction() throws Exception {
        for (int i = 0; i < 20; i++) {
            assertThat(trial.run(trial.policy(), "/usr/bin/nproc").output().strip())
                    .isEqualTo("" + Runtime.getRuntime().availableProcessors());
        }
        requireAllHaveAll();
    }

    @Test
    void after_a_start_that_fails_all_have_all() throws Exception {
        trial.file("no-program", "");
        for (var command : new String[] {"no-such-program", "no-program"}) {
            assertThatThrownBy(() -> trial.start(trial.policy(), command))
                    .isInstanceOf(SandboxException.class);
        }
        requireAllHaveAll();
    }

    /// More than there are threads left over from others, so that some are made for them.
    @Test
    void while_programs_run_all_have_all() throws Exception {
        var running = new ArrayList<Sandbox>();
        try {
            for (int i = 0; i < 12; i++) {
                running.add(trial.start(trial.policy(), "/usr/bin/cat"));
            }
            requireAllHaveAll();
        } finally {
            running.forEach(Sandbox::close);
        }
    }

    /// Who waits for a judged open may be on the supervisor's processor meanwhile, if that is
    /// faster. Whatever it asks and starts afterwards shows nothing of it, not even at once.
    @Test
    void a_program_that_opens_files_has_all_whenever_it_looks() throws Exception {
        trial.file("seen", "");
        trial.file("hidden", "");
        var policy = trial.policy("allow read:.", "deny read:hidden");
        var result =
                trial.run(
                        policy,
                        "/usr/bin/python3",
                        "-S",
                        "-c",
                        """
                        import os
                        def look():
                            os.close(os.open('seen', os.O_RDONLY))
                            return len(os.sched_getaffinity(0))
                        print({look() for _ in range(20000)})
                        if os.fork() == 0:
                            os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
                            print({look() for _ in range(2000)}, flush=True)
                            os._exit(0)
                        os.wait()
                        for _ in range(50):
                            os.close(os.open('seen', os.O_RDONLY))
                            if os.fork() == 0:
                                os._exit(len(os.sched_getaffinity(0)))
                            print(os.waitstatus_to_exitcode(os.wait()[1]))
                        """);
        var all = "" + Runtime.getRuntime().availableProcessors();
        assertThat(result.output().lines().distinct())
                .as(result.errors())
                .containsExactlyInAnyOrder("{" + all + "}", "{1}", all);
        requireAllHaveAll();
    }
}
