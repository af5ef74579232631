// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a confined process does to those who judge it: they neither tire nor wait.
class EnduranceIT {
    @TempDir Path temporary;
    private Confined confined;

    @BeforeEach
    void given() throws Exception {
        confined = Confined.judged(temporary);
    }

    /// Each link leads through `/proc`, so that the supervisor has to walk itself, some 20,000
    /// steps.
    @Test
    void a_path_of_many_steps_does_not_use_up_descriptors() throws Exception {
        var probe =
                confined.compile(
                        "steps",
                        """
                        int main(void) {
                            char target[4096], name[16];
                            mkdir("a", 0755);
                            for (int i = 0; i < 12; i++) {
                                strcpy(target, "/proc/self/cwd/");
                                for (int j = 0; j < 800; j++) strcat(target, "a/../");
                                sprintf(target + strlen(target), i < 11 ? "l%d" : "a", i + 1);
                                sprintf(name, "l%d", i);
                                symlink(target, name);
                            }
                            say("walk", open("l0", O_RDONLY));
                            symlink("loop", "loop");
                            say("loop", open("loop", O_RDONLY));
                        }
                        """);

        assertThat(confined.run(probe).output()).isEqualTo("walk ok\nloop ELOOP\n");
    }

    @Test
    void who_waits_for_a_pipe_or_holds_a_lease_does_not_hold_up_others() throws Exception {
        var probe =
                confined.compile(
                        "waits",
                        """
                        static void *wait_(void *_) { open("pipe", O_RDONLY); return 0; }
                        int main(void) {
                            pthread_t t;
                            mkfifo("pipe", 0600);
                            for (int i = 0; i < 20; i++) pthread_create(&t, 0, wait_, 0);
                            signal(SIGIO, SIG_IGN);
                            int fd = open("leased", O_RDWR | O_CREAT, 0600);
                            say("lease", fcntl(fd, F_SETLEASE, F_WRLCK));
                            if (fork() == 0) { open("leased", O_RDONLY); _exit(0); }
                            usleep(50000);
                            struct timespec start, end;
                            clock_gettime(CLOCK_MONOTONIC, &start);
                            for (int i = 0; i < 100; i++) close(open("other", O_RDWR | O_CREAT, 0600));
                            clock_gettime(CLOCK_MONOTONIC, &end);
                            puts(end.tv_sec - start.tv_sec > 10 ? "slow" : "quick");
                        }
                        """);

        assertThat(confined.run(probe).output()).isEqualTo("lease EINVAL\nquick\n");
    }

    @Test
    void a_named_pipe_connects_its_ends() throws Exception {
        var result =
                confined.sh("mkfifo p; (echo through > p) & cat p; wait; (sleep 60 > p) & kill $!");

        assertThat(result.output()).isEqualTo("through\n");
    }

    @Test
    void as_many_wait_for_pipes_as_a_program_has_threads_and_the_rest_goes_on() throws Exception {
        var probe =
                confined.compile(
                        "many",
                        """
                        static volatile int opened;
                        static void *wait_(void *name) {
                            if (open(name, O_RDONLY) >= 0) __sync_fetch_and_add(&opened, 1);
                            return 0;
                        }
                        int main(void) {
                            static char names[200][8];
                            pthread_t threads[200];
                            for (int i = 0; i < 200; i++) {
                                sprintf(names[i], "p%d", i);
                                mkfifo(names[i], 0600);
                                pthread_create(&threads[i], 0, wait_, names[i]);
                            }
                            say("other", open("other", O_RDWR | O_CREAT, 0600));
                            for (int i = 0; i < 200; i++)
                                if (open(names[i], O_WRONLY) < 0) say("write", -1);
                            for (int i = 0; i < 200; i++) pthread_join(threads[i], 0);
                            printf("%d\\n", opened);
                        }
                        """);

        assertThat(confined.run(probe).output()).isEqualTo("other ok\n200\n");
    }

    @Test
    void tasks_that_die_in_the_middle_of_a_call_do_no_harm() throws Exception {
        var probe =
                confined.compile(
                        "dying",
                        """
                        static void *work(void *_) {
                            while (1) { int f = open("f", O_CREAT | O_RDWR, 0600); rename("f", "g"); close(f); }
                        }
                        int main(void) {
                            for (int i = 0; i < 100; i++) {
                                int child = fork();
                                if (child == 0) {
                                    pthread_t t;
                                    for (int j = 0; j < 3; j++) pthread_create(&t, 0, work, 0);
                                    work(0);
                                }
                                usleep(1000 + 37 * i);
                                kill(child, SIGKILL);
                                waitpid(child, 0, 0);
                            }
                            say("still here", open("h", O_CREAT | O_RDWR, 0600));
                        }
                        """);

        assertThat(confined.run(probe).output()).isEqualTo("still here ok\n");
    }

    @Test
    void stops_and_continues_do_not_confuse_anybody() throws Exception {
        var result =
                confined.sh(
                        "sleep 0.2 & kill -STOP $!; kill -CONT $!; wait $!; echo $?; sh -c 'kill"
                                + " -STOP $$; echo on' & sleep 0.1; kill -CONT $!; wait; echo end");

        assertThat(result.output()).isEqualTo("0\non\nend\n");
    }

    /// The script is exchanged for a pipe that nobody writes to while it is looked at.
    @Test
    void a_pipe_in_the_place_of_a_script_does_not_hold_up_the_tracer() throws Exception {
        var probe =
                confined.compile(
                        "script",
                        """
                        int main(void) {
                            int script = open("script", O_CREAT | O_WRONLY, 0755);
                            write(script, "#!/usr/bin/true\\n", 16);
                            close(script);
                            mkfifo("pipe", 0755);
                            if (fork() == 0)
                                while (1) syscall(SYS_renameat2, AT_FDCWD, "script", AT_FDCWD, "pipe", 2);
                            for (int i = 0; i < 600; i++) {
                                if (fork() == 0) { close(2); execl("./script", "./script", NULL); _exit(1); }
                                wait(0);
                            }
                            say("end", 0);
                        }
                        """);

        assertThat(confined.run(probe).output()).isEqualTo("end ok\n");
    }
}
