// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Processes outside, and above all the one that judges: what it has in memory and in its
/// environment is not the sandbox's, whatever may be read.
class StrangersIT {
    @TempDir Path temporary;
    private Confined confined;
    private Path probe;

    @BeforeEach
    void given() throws Exception {
        confined = Confined.judged(temporary);
        probe =
                confined.compile(
                        "look",
                        """
                        int main(int count, char **words) {
                            char path[256];
                            for (int i = 2; i < count; i++) {
                                sprintf(path, "/proc/%s/%s", words[1], words[i]);
                                say(words[i], open(path, O_RDONLY));
                            }
                            sprintf(path, "/proc/%s/oom_score_adj", words[1]);
                            say("change", open(path, O_WRONLY));
                        }
                        """);
    }

    private String look(boolean freely) throws Exception {
        String us = Long.toString(ProcessHandle.current().pid());
        Object[] command = {
            probe,
            us,
            "environ",
            "mem",
            "maps",
            "auxv",
            "fd",
            "fdinfo",
            "map_files",
            "syscall",
            "pagemap",
            "smaps",
            "cwd",
            "root",
            "fd/0",
            "task/" + us + "/environ",
            "status",
            "cmdline",
            "task/" + us + "/stat"
        };
        return (freely ? confined.runFreely(command) : confined.run(command)).output();
    }

    @Test
    void nothing_private_of_a_stranger_can_be_read_even_where_everything_can() throws Exception {
        confined.allow("read:/", "write:/proc");

        assertThat(look(false))
                .isEqualTo(
                        """
                        environ EACCES
                        mem EACCES
                        maps EACCES
                        auxv EACCES
                        fd EACCES
                        fdinfo EACCES
                        map_files EACCES
                        syscall EACCES
                        pagemap EACCES
                        smaps EACCES
                        cwd EACCES
                        root EACCES
                        fd/0 EACCES
                        task/%1$s/environ EACCES
                        status ok
                        cmdline ok
                        task/%1$s/stat ok
                        change EACCES
                        """
                                .formatted(ProcessHandle.current().pid()));
        assertThat(look(true)).contains("environ ok", "maps ok", "fd ok", "change ok");
    }

    /// What the kernel shows to everybody it refuses to nobody, and psutil takes no refusal for an
    /// answer.
    @Test
    void who_looks_through_all_processes_finds_strangers_ended() throws Exception {
        assertThat(look(false))
                .endsWith(
                        """
                        task/%1$s/environ EACCES
                        status ESRCH
                        cmdline ESRCH
                        task/%1$s/stat ESRCH
                        change EACCES
                        """
                                .formatted(ProcessHandle.current().pid()));
    }

    /// As below a root folder that somebody has made ready to work in.
    @Test
    void nor_where_processes_are_shown_a_second_time() throws Exception {
        var second = Files.createDirectories(confined.work.resolve("root/proc"));
        assumeTrue(
                confined.runFreely("/bin/mount", "-t", "proc", "proc", second).code() == 0,
                "needs root");
        try {
            var looks =
                    confined.compile(
                            "looks",
                            """
                            int main(int count, char **words) {
                                char path[256], again[64];
                                say("own", open("root/proc/self/environ", O_RDONLY));
                                say("memory", open("root/proc/self/mem", O_RDWR));
                                sprintf(path, "root/proc/%s/environ", words[1]);
                                say("other", open(path, O_RDONLY));
                                sprintf(again, "/proc/self/fd/%d", open(path, O_PATH));
                                say("again", open(again, O_RDONLY));
                                int self = open("root/proc/self", O_PATH);
                                say("below", openat(self, "maps", O_RDONLY));
                                sprintf(path, "root/proc/%s/cmdline", words[1]);
                                say("command", open(path, O_RDONLY));
                                say("folder", open("root/proc", O_RDONLY));
                                say("may", access("root/proc/self/mem", R_OK));
                                say("beside", open("root/file", O_RDWR | O_CREAT, 0600));
                            }
                            """);
            String us = Long.toString(ProcessHandle.current().pid());

            assertThat(confined.run(looks, us).output())
                    .isEqualTo(
                            """
                            own EACCES
                            memory EACCES
                            other EACCES
                            again EACCES
                            below EACCES
                            command EACCES
                            folder EACCES
                            may EACCES
                            beside ok
                            """);
            assertThat(confined.runFreely(looks, us).output()).contains("own ok", "other ok");
        } finally {
            confined.runFreely("/bin/umount", second);
        }
    }

    @Test
    void a_process_can_look_at_itself_and_at_its_children() throws Exception {
        var result =
                confined.sh(
                        "sleep 5 & head -c 4 /proc/$!/environ >/dev/null && ls /proc/$!/fd"
                                + " >/dev/null && cat /proc/self/comm && readlink /proc/self/cwd;"
                                + " kill $!");

        assertThat(result.output()).isEqualTo("cat\n" + confined.work + "\n");
        assertThat(result.errors()).isEmpty();
    }

    @Test
    void strangers_cannot_be_sent_signals() throws Exception {
        var stranger = new ProcessBuilder("/bin/sleep", "60").start();
        try {
            var signals =
                    confined.compile(
                            "signals",
                            """
                            int main(int count, char **words) {
                                int pid = atoi(words[1]), fds[2];
                                say("kill", kill(pid, SIGTERM));
                                say("tkill", syscall(SYS_tkill, pid, SIGTERM));
                                siginfo_t info = {.si_signo = SIGTERM, .si_code = SI_QUEUE};
                                say("queue", syscall(SYS_rt_sigqueueinfo, pid, SIGTERM, &info));
                                int handle = say("pidfd", syscall(SYS_pidfd_open, pid, 0));
                                say("pidfd kill", syscall(SYS_pidfd_send_signal, handle, SIGTERM, 0, 0));
                                say("pidfd getfd", syscall(SYS_pidfd_getfd, handle, 0, 0));
                                say("ptrace", ptrace(PTRACE_ATTACH, pid, 0, 0));
                                struct iovec v = {fds, 8};
                                say("memory", syscall(SYS_process_vm_readv, pid, &v, 1, &v, 1, 0));
                                /* A signal by way of a pipe that tells its owner. */
                                pipe(fds);
                                fcntl(fds[0], F_SETOWN, pid);
                                fcntl(fds[0], F_SETSIG, SIGTERM);
                                fcntl(fds[0], F_SETFL, O_ASYNC | O_NONBLOCK);
                                write(fds[1], "x", 1);
                            }
                            """);

            assertThat(confined.run(signals, stranger.pid()).output())
                    .isEqualTo(
                            """
                            kill EPERM
                            tkill EPERM
                            queue EPERM
                            pidfd ok
                            pidfd kill EPERM
                            pidfd getfd EPERM
                            ptrace EPERM
                            memory EPERM
                            """);
            assertThat(stranger.isAlive()).isTrue();

            confined.runFreely(signals, stranger.pid());
            assertThat(stranger.waitFor()).isEqualTo(128 + 15);
        } finally {
            stranger.destroyForcibly();
        }
    }

    @Test
    void what_a_sandbox_started_ends_with_it() throws Exception {
        var probe =
                confined.compile(
                        "daemon",
                        """
                        int main(void) {
                            for (int i = 0; i < 3; i++) {
                                if (fork() == 0) {
                                    setsid();
                                    prctl(PR_SET_PDEATHSIG, 0);
                                    signal(SIGTERM, SIG_IGN);
                                    if (fork() > 0) _exit(0);
                                    for (int fd = 0; fd < 3; fd++) close(fd);
                                    while (1) { int f = open("alive", O_CREAT | O_WRONLY | O_APPEND, 0644);
                                        write(f, "x", 1); close(f); usleep(1000); }
                                }
                            }
                            while (access("alive", F_OK)) usleep(1000);
                            say("started", 0);
                            say("untraced", syscall(SYS_clone, CLONE_UNTRACED | SIGCHLD, 0, 0, 0, 0));
                        }
                        """);

        assertThat(confined.run(probe).output()).isEqualTo("started ok\nuntraced EPERM\n");
        var alive = confined.work.resolve("alive");
        long size = Files.size(alive);
        for (int i = 0; i < 20; i++) {
            Thread.sleep(5); // longer than one of them would be silent
            assertThat(Files.size(alive)).isEqualTo(size);
        }
    }
}
