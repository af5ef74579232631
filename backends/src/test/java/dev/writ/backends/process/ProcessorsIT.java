// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static dev.writ.backends.process.Trial.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.writ.core.sandbox.SandboxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// While a program is started, those who wait for each other share a processor. Nobody is left with
/// less than before.
class ProcessorsIT {
    @TempDir Path temporary;
    private Trial trial;
    private Set<String> before;

    @BeforeEach
    void given() throws Exception {
        trial = new Trial(temporary);
        before = processors();
        assumeThat(Runtime.getRuntime().availableProcessors()).isGreaterThan(1);
    }

    /// What the threads of this process may run on.
    private static Set<String> processors() throws IOException {
        var all = new TreeSet<String>();
        try (var tasks = Files.list(Path.of("/proc/self/task"))) {
            for (var task : tasks.toList()) {
                if (Files.exists(task.resolve("status"))) {
                    Files.readAllLines(task.resolve("status")).stream()
                            .filter(l -> l.startsWith("Cpus_allowed_list"))
                            .forEach(all::add);
                }
            }
        }
        return all;
    }

    @Test
    void a_program_has_all_from_its_first_instruction() throws Exception {
        for (int i = 0; i < 20; i++) {
            assertThat(trial.run(trial.policy(), "/usr/bin/nproc").output().strip())
                    .isEqualTo("" + Runtime.getRuntime().availableProcessors());
        }
        eventually("all have all", () -> processors().equals(before));
    }

    @Test
    void after_a_start_that_fails_all_have_all() throws Exception {
        trial.file("no-program", "");
        for (var command : new String[] {"no-such-program", "no-program"}) {
            assertThatThrownBy(() -> trial.start(trial.policy(), command))
                    .isInstanceOf(SandboxException.class);
        }
        eventually("all have all", () -> processors().equals(before));
    }
}
