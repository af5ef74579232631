// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.Terminal;
import dev.writ.kernel.Terminal.Pair;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Whoever may open the terminal of somebody else reads what is typed there, and draws on the
/// screen: a question of Writ's, for example.
class TerminalsIT {
    @TempDir Path temporary;
    private final Kernel kernel = new Kernel();
    private final List<Pair> others = new ArrayList<>();
    private Confined confined;

    @BeforeEach
    void given() throws Exception {
        confined = Confined.judged(temporary);
        confined.allow("device:/dev/tty", "device:/dev/ptmx", "device:/dev/pts/ptmx");
    }

    @AfterEach
    void close() {
        others.forEach(o -> new FileCalls(kernel).close(o.master()));
        kernel.close();
    }

    private String other() {
        others.add(new Terminal(kernel).make());
        return others.getLast().path();
    }

    private Path opens() throws Exception {
        return confined.compile(
                "opens",
                """
                int main(int count, char **words) {
                    say("read", open(words[1], O_RDONLY | O_NOCTTY));
                    say("write", open(words[1], O_WRONLY | O_NOCTTY));
                    say("control", open(words[1], O_RDWR | O_NOCTTY | O_NONBLOCK));
                    say("may", access(words[1], W_OK));
                    int handle = open(words[1], O_PATH);
                    char again[64];
                    sprintf(again, "/proc/self/fd/%d", handle);
                    say("again", open(again, O_RDWR | O_NOCTTY));
                }
                """);
    }

    @Test
    void terminals_of_others_are_out_of_reach() throws Exception {
        var opens = opens();
        var other = other();

        assertThat(confined.run(opens, other).output())
                .isEqualTo(
                        """
                        read EACCES
                        write EACCES
                        control EACCES
                        may EACCES
                        again EACCES
                        """);
        assertThat(confined.runFreely(opens, other).output()).doesNotContain("EACCES");
    }

    @Test
    void a_rule_can_open_one() throws Exception {
        var opens = opens();
        var other = other();
        confined.allow("device:" + other);

        assertThat(confined.run(opens, other).output()).doesNotContain("EACCES");
        assertThat(confined.run(opens, other()).output()).contains("write EACCES");
    }

    @Test
    void a_terminal_of_its_own_can_be_used_by_name() throws Exception {
        var probe =
                confined.compile(
                        "makes",
                        """
                        int main(void) {
                            for (int i = 0; i < 3; i++) {
                                int master = posix_openpt(O_RDWR | O_NOCTTY);
                                say("make", master);
                                say("unlock", unlockpt(master));
                                say("may", access(ptsname(master), R_OK | W_OK));
                                if (fork() == 0) {
                                    int end = open(ptsname(master), O_RDWR | O_NOCTTY);
                                    say("open", end);
                                    write(end, "drawn", 5);
                                    say("name", ttyname(end) == 0 ? -1 : 0);
                                    pause();
                                }
                                tell("master", master);
                                close(master);
                            }
                        }
                        """);

        assertThat(confined.run(probe).output())
                .contains("make ok\nunlock ok\nmay ok\n", "open ok\n", "master read drawn\n")
                .doesNotContain("EACCES");
    }

    /// What takes a while is left to another thread, which begins anew.
    @Test
    void to_make_one_or_to_wait_at_a_pipe_is_written_down_once() throws Exception {
        var probe =
                confined.compile(
                        "once",
                        """
                        int main(void) {
                            say("make", open("/dev/ptmx", O_RDWR | O_NOCTTY));
                            mkfifo("pipe", 0600);
                            if (fork() == 0) {
                                say("write", open("pipe", O_WRONLY));
                                return 0;
                            }
                            say("read", open("pipe", O_RDONLY));
                            wait(0);
                        }
                        """);

        assertThat(confined.run(probe).output()).contains("make ok\n", "write ok\n", "read ok\n");
        var pipe = confined.work.resolve("pipe");
        assertThat(judged(new Action.OpenDevice(FilePath.of("/dev/ptmx")))).isOne();
        assertThat(judged(new Action.ReadFile(FilePath.of(pipe.toString())))).isOne();
    }

    private long judged(Action action) {
        return confined.log.events().stream()
                .filter(e -> e instanceof AuditEvent.Judged j && j.action().equals(action))
                .count();
    }

    /// Numbers of terminals are used again at once.
    @Test
    void a_number_that_somebody_else_has_by_now_leads_nowhere() throws Exception {
        var probe =
                confined.compile(
                        "reuses",
                        """
                        int main(void) {
                            int master = posix_openpt(O_RDWR | O_NOCTTY);
                            unlockpt(master);
                            char name[64];
                            strcpy(name, ptsname(master));
                            say("own", open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
                            int said = open("said", O_CREAT | O_WRONLY, 0600);
                            write(said, name, strlen(name));
                            close_range(3, 100, 0);
                            rename("said", "name");
                            while (access("go", F_OK)) usleep(1000);
                            say("of others", open(name, O_RDWR | O_NOCTTY));
                        }
                        """);
        var running = CompletableFuture.supplyAsync(() -> run(probe));
        Trial.eventually("it has had one", () -> Files.exists(confined.work.resolve("name")));
        var name = Files.readString(confined.work.resolve("name"));
        Trial.eventually("somebody else has it", () -> other().equals(name) || others.size() > 50);
        Files.writeString(confined.work.resolve("go"), "");

        assertThat(running.get(60, TimeUnit.SECONDS)).isEqualTo("own ok\nof others EACCES\n");
        assertThat(others).anyMatch(o -> o.path().equals(name));
    }

    private String run(Path probe) {
        try {
            return confined.run(probe).output();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /// Whoever follows all processes must not wait for one of them: nothing would end any more.
    @Test
    void a_refused_program_with_a_full_terminal_holds_up_nobody() throws Exception {
        var refused = Files.writeString(confined.tools.resolve("refused"), "#!/bin/sh\n");
        confined.deny("exec:" + refused);
        assertThat(refused.toFile().setExecutable(true)).isTrue();
        var fills =
                confined.compile(
                        "fills",
                        """
                        int main(int count, char **words) {
                            int master = posix_openpt(O_RDWR | O_NOCTTY), ended = 0;
                            grantpt(master);
                            unlockpt(master);
                            int end = open(ptsname(master), O_RDWR | O_NOCTTY);
                            for (int i = 0; i < 300; i++) {
                                int child = fork(), status;
                                if (child == 0) {
                                    dup2(end, 2);
                                    execl(words[1], words[1], NULL);
                                    _exit(1);
                                }
                                waitpid(child, &status, 0);
                                ended += WEXITSTATUS(status) == 126;
                            }
                            printf("%d refused\\n", ended);
                        }
                        """);

        assertThat(confined.run(fills, refused).output()).isEqualTo("300 refused\n");
    }
}
