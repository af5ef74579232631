// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Who belongs to a sandbox. A number that once did belongs to a stranger later, who would be let
/// in, and killed at the end.
class MembersIT {
    @TempDir Path temporary;
    private Confined confined;

    @BeforeEach
    void given() throws Exception {
        confined = Confined.judged(temporary);
    }

    @Test
    void a_child_that_is_killed_at_birth_leaves_no_number_behind() throws Exception {
        var probe =
                confined.compile(
                        "birth",
                        """
                        int main(void) {
                            volatile int *last = mmap(0, 4096, PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
                            int killer = fork();
                            if (killer == 0)
                                while (*last >= 0)
                                    for (int i = 1; *last > 0 && i < 4; i++) kill(*last + i, SIGKILL);
                            if (killer == 0) return 0;
                            int dead[500], members = 0;
                            *last = killer;
                            for (int i = 0; i < 500; i++) {
                                dead[i] = fork();
                                if (dead[i] == 0) _exit(0);
                                *last = dead[i];
                                waitpid(dead[i], 0, 0);
                            }
                            *last = -1;
                            waitpid(killer, 0, 0);
                            cpu_set_t set;
                            CPU_ZERO(&set);
                            CPU_SET(0, &set);
                            /* A stranger is refused; of a member the kernel says it is gone. */
                            for (int i = 0; i < 500; i++)
                                if (sched_setaffinity(dead[i], sizeof set, &set) < 0 && errno != EPERM)
                                    members++;
                            printf("%d\\n", members);
                        }
                        """);

        assertThat(confined.run(probe).output()).isEqualTo("0\n");
        assertThat(confined.runFreely(probe).output()).isEqualTo("500\n");
    }

    @Test
    void children_and_threads_belong() throws Exception {
        var probe =
                confined.compile(
                        "belong",
                        """
                        static cpu_set_t set;
                        static int tid;
                        static void *thread(void *_) { tid = gettid(); pause(); return 0; }
                        int main(void) {
                            CPU_ZERO(&set);
                            CPU_SET(0, &set);
                            pthread_t t;
                            pthread_create(&t, 0, thread, 0);
                            while (*(volatile int *) &tid == 0) sched_yield();
                            int child = fork();
                            if (child == 0) { pause(); return 0; }
                            say("child", sched_setaffinity(child, sizeof set, &set));
                            say("thread", sched_setaffinity(tid, sizeof set, &set));
                            say("priority", setpriority(PRIO_PROCESS, child, 5));
                            say("limit", prlimit(child, RLIMIT_NOFILE, &(struct rlimit) {9, 9}, 0));
                            say("parent", sched_setaffinity(getppid(), sizeof set, &set));
                            say("parent's limit", prlimit(getppid(), RLIMIT_NOFILE, 0, &(struct rlimit) {0}));
                            say("init", setpriority(PRIO_PROCESS, 1, 5));
                            say("everybody", setpriority(PRIO_USER, getuid(), 5));
                            kill(child, SIGKILL);
                            _exit(0);
                        }
                        """);

        assertThat(confined.run(probe).output())
                .isEqualTo(
                        """
                        child ok
                        thread ok
                        priority ok
                        limit ok
                        parent EPERM
                        parent's limit EPERM
                        init EPERM
                        everybody EPERM
                        """);
    }
}
