// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// System V shared memory: keys and numbers are shared by everybody on the machine, segments are
/// not.
class SegmentsIT {
    @TempDir Path temporary;
    private Confined confined;

    @BeforeEach
    void given() throws Exception {
        confined = Confined.judged(temporary);
    }

    @Test
    void processes_of_a_sandbox_share_memory_by_a_key() throws Exception {
        var probe =
                compile(
                        "inside",
                        """
                        int main(void) {
                            int id = say("make", shmget(4711, 4096, IPC_CREAT | IPC_EXCL | 0600));
                            char *memory = shmat(id, NULL, 0);
                            if (fork() == 0) {
                                char *same = shmat(shmget(4711, 0, 0), NULL, 0);
                                strcpy(same, "from the child");
                                shmdt(same);
                                return 0;
                            }
                            wait(NULL);
                            puts(memory);
                            struct shmid_ds state;
                            say("look", shmctl(id, IPC_STAT, &state));
                            printf("%ld bytes\\n", (long) state.shm_segsz);
                            say("again", shmget(4711, 4096, IPC_CREAT | IPC_EXCL | 0600));
                            say("larger", shmget(4711, 8192, 0));
                            say("give away", shmctl(id, IPC_SET, &state));
                            say("remove", shmctl(id, IPC_RMID, NULL));
                            say("after that", shmget(4711, 0, 0));
                            puts(memory);
                        }
                        """);

        assertThat(confined.run(probe).output())
                .isEqualTo(
                        """
                        make ok
                        from the child
                        look ok
                        4096 bytes
                        again EEXIST
                        larger EINVAL
                        give away EPERM
                        remove ok
                        after that ENOENT
                        from the child
                        """);
    }

    @Test
    void a_segment_of_the_machine_cannot_be_had_by_key_nor_by_number() throws Exception {
        var key = Integer.toString(temporary.hashCode() | 1);
        var maker =
                compile(
                        "maker",
                        """
                        int main(int count, char **words) {
                            int id = shmget(atoi(words[1]), 4096, IPC_CREAT | IPC_EXCL | 0600);
                            strcpy(shmat(id, NULL, 0), "secret");
                            printf("%d", id);
                        }
                        """);
        var probe =
                compile(
                        "probe",
                        """
                        int main(int count, char **words) {
                            int id = atoi(words[2]);
                            struct shmid_ds state;
                            say("by key", shmget(atoi(words[1]), 0, 0));
                            char *memory = shmat(id, NULL, SHM_RDONLY);
                            say("by number", memory == (void *) -1 ? -1 : 0);
                            say("look", shmctl(id, IPC_STAT, &state));
                            say("list", shmctl(0, SHM_STAT, &state));
                            say("list all", shmctl(0, SHM_STAT_ANY, &state));
                            say("remove", shmctl(id, IPC_RMID, NULL));
                        }
                        """);
        var number = confined.runFreely(maker, key).output();

        var inside = confined.run(probe, key, number);
        var freely = confined.runFreely(probe, key, number);

        assertThat(inside.output())
                .isEqualTo(
                        """
                        by key ENOENT
                        by number EINVAL
                        look EINVAL
                        list EINVAL
                        list all EINVAL
                        remove EINVAL
                        """);
        assertThat(freely.output()).contains("by key ok", "by number ok", "remove ok");
    }

    @Test
    void a_key_of_a_sandbox_means_nothing_outside_and_nothing_is_left_behind() throws Exception {
        var key = Integer.toString(temporary.hashCode() | 1);
        var probe =
                compile(
                        "leaver",
                        """
                        int main(int count, char **words) {
                            int id = shmget(atoi(words[1]), 4096, IPC_CREAT | 0600);
                            shmat(id, NULL, 0);
                            printf("%d", id);
                        }
                        """);
        var finder =
                compile(
                        "finder",
                        """
                        int main(int count, char **words) {
                            say("by key", shmget(atoi(words[1]), 0, 0));
                        }
                        """);

        var number = confined.run(probe, key).output();

        assertThat(confined.runFreely(finder, key).output()).isEqualTo("by key ENOENT\n");
        assertThat(number).isNotEmpty();
        assertThat(Files.readAllLines(Path.of("/proc/sysvipc/shm")))
                .noneMatch(line -> line.strip().split(" +")[1].equals(number));
    }

    private Path compile(String name, String source) throws Exception {
        return confined.compile(name, "#include <sys/ipc.h>\n#include <sys/shm.h>\n" + source);
    }
}
