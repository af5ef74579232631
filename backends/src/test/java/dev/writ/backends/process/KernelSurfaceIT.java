// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// System calls as they are inside a sandbox.
class KernelSurfaceIT {
    @TempDir Path temporary;
    private Confined confined;

    @BeforeEach
    void given() throws Exception {
        confined = Confined.judged(temporary);
    }

    @Test
    void ways_around_the_rules_do_not_exist() throws Exception {
        var probe =
                confined.compile(
                        "around",
                        """
                        int main(void) {
                            long page[512] = {0};
                            say("io_uring", syscall(SYS_io_uring_setup, 1, page));
                            say("clone3", syscall(SYS_clone3, page, 64));
                            say("memfd_secret", syscall(SYS_memfd_secret, 0));
                            say("unknown", syscall(1000));
                            say("keyring", syscall(SYS_keyctl, 0, -1, 0));
                            say("mempolicy", syscall(SYS_set_mempolicy, 0, 0, 0));
                            say("personality", syscall(SYS_personality, 0x0400000));
                            say("listener", syscall(SYS_seccomp, 1, 8, page));
                            int set = say("sem", syscall(SYS_semget, IPC_PRIVATE, 1, 0600));
                            syscall(SYS_semctl, set, 0, IPC_RMID, 0);
                            int traced = fork();
                            if (traced == 0) { say("trace me", ptrace(PTRACE_TRACEME, 0, 0, 0)); _exit(0); }
                            waitpid(traced, 0, 0);
                            say("user namespace", unshare(CLONE_NEWUSER));
                        }
                        """);

        assertThat(confined.run(probe).output())
                .isEqualTo(
                        """
                        io_uring ENOSYS
                        clone3 ENOSYS
                        memfd_secret ENOSYS
                        unknown ENOSYS
                        keyring EPERM
                        mempolicy EPERM
                        personality EPERM
                        listener EBUSY
                        sem EPERM
                        trace me EPERM
                        user namespace EPERM
                        """);
        assertThat(confined.runFreely(probe).output()).contains("sem ok", "trace me ok");
    }

    /// Without a control: outside, as root, some of these would work.
    @Test
    void what_changes_the_machine_is_refused() throws Exception {
        var probe =
                confined.compile(
                        "machine",
                        """
                        int main(void) {
                            long page[512] = {0};
                            /* Once more, for the case that this program is ever started elsewhere. */
                            if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) return 1;
                            say("clone", syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
                            say("setns", setns(0, 0));
                            say("mount", syscall(SYS_mount, "none", "/nowhere", "tmpfs", 0, 0));
                            say("open_tree", syscall(SYS_open_tree, AT_FDCWD, "/", 1));
                            say("fsopen", syscall(SYS_fsopen, "tmpfs", 0));
                            say("bpf", syscall(SYS_bpf, 0, page, 8));
                            say("perf", syscall(SYS_perf_event_open, page, 0, -1, -1, 0));
                            say("userfaultfd", syscall(SYS_userfaultfd, 0));
                            say("add_key", syscall(SYS_add_key, "user", "a", "b", 1, -1));
                            say("sem", syscall(SYS_semget, IPC_PRIVATE, 1, 0600));
                            say("msg", syscall(SYS_msgget, IPC_PRIVATE, 0600));
                            say("mq", syscall(SYS_mq_open, "writ", O_RDWR, 0600, 0));
                            say("reboot", syscall(SYS_reboot, 0, 0, 0, 0));
                            say("clock", syscall(SYS_clock_settime, -1, page));
                            say("hostname", sethostname(0, 0));
                            say("syslog", syscall(SYS_syslog, 3, page, 8));
                            say("mm", prctl(PR_SET_MM, 1, 0, 0, 0));
                            say("fanotify", syscall(SYS_fanotify_init, 0, 0));
                            say("quota", syscall(SYS_quotactl, 0, 0, 0, 0));
                            say("device", mknod("device", S_IFCHR | 0600, 0x0103));
                            say("block", mknod("block", S_IFBLK | 0600, 0x0800));
                            say("input", ioctl(0, TIOCSTI, "x"));
                            say("input high bits", syscall(SYS_ioctl, 0, 0xdead00005412L, "x"));
                            say("handle", syscall(SYS_open_by_handle_at, AT_FDCWD, page, 0));
                            say("vmsplice", syscall(SYS_vmsplice, 0, 0, 0, 0));
                        }
                        """);

        assertThat(confined.run(probe).output().lines())
                .hasSize(25)
                .allMatch(line -> line.endsWith(" EPERM") || line.equals("mm EINVAL"));
    }

    /// Who removes the key of an encrypted folder locks it for all processes of the same user.
    @Test
    void nothing_is_told_to_a_file_system_nor_asked_about_strangers() throws Exception {
        var probe =
                confined.compile(
                        "told",
                        """
                        int main(int count, char **words) {
                            long page[512] = {0};
                            int folder = open(words[1], O_RDONLY);
                            say("add key", ioctl(folder, 0xc0506617, page));
                            say("remove key", ioctl(folder, 0xc0406618, page));
                            say("ask for flags", ioctl(folder, FS_IOC_GETFLAGS, page) && errno == EPERM ? -1 : 0);
                            int stranger = syscall(SYS_pidfd_open, 1, 0);
                            say("stranger", ioctl(stranger, 0xc040ff0b, page));
                        }
                        """);

        assertThat(confined.run(probe, confined.tools).output())
                .isEqualTo(
                        """
                        add key EPERM
                        remove key EPERM
                        ask for flags ok
                        stranger ENOTTY
                        """);
        assertThat(confined.runFreely(probe, confined.tools).output()).doesNotContain("key EPERM");
    }

    /// Room that is taken by fallocate is counted.
    @Test
    void no_request_takes_room_that_nobody_counts() throws Exception {
        var probe =
                confined.compile(
                        "room",
                        """
                        int main(void) {
                            int file = open("file", O_RDWR | O_CREAT, 0600);
                            struct { short type, from; long start, length; int rest[6]; } room = {0};
                            room.length = 1 << 20;
                            long requests[] = {0x40305828, 0x4030582a, 0x40305839};
                            for (int i = 0; i < 3; i++) say("room", ioctl(file, requests[i], &room));
                            struct stat is;
                            fstat(file, &is);
                            printf("%s\\n", is.st_blocks ? "taken" : "free");
                        }
                        """);

        assertThat(confined.run(probe).output()).isEqualTo("room ENOTTY\n".repeat(3) + "free\n");
        assertThat(confined.runFreely(probe).output()).endsWith("taken\n");
    }

    @Test
    void another_machine_s_calls_end_the_process() throws Exception {
        var probe =
                confined.compile(
                        "foreign",
                        """
                        int main(int count, char **words) {
                            long result = -1;
                        #ifdef __x86_64__
                            if (words[1][0] == '3') __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory");
                            else result = syscall(0x40000000 | SYS_getpid);
                        #endif
                            printf("%s\\n", result > 0 ? "came back" : "failed");
                        }
                        """);

        assertThat(confined.run(probe, "32").output()).doesNotContain("came back");
        assertThat(confined.run(probe, "x32").output()).doesNotContain("came back");
    }

    @Test
    void privileges_cannot_be_had_back() throws Exception {
        var probe =
                confined.compile(
                        "privileges",
                        """
                        int main(void) {
                            FILE *status = fopen("/proc/self/status", "r");
                            char line[256];
                            while (fgets(line, sizeof line, status))
                                if (!strncmp(line, "Cap", 3) && strncmp(line, "CapBnd", 6)
                                        || !strncmp(line, "NoNewPrivs", 10) || !strncmp(line, "Seccomp:", 8))
                                    fputs(line, stdout);
                            fflush(stdout);
                            say("dumpable", prctl(PR_SET_DUMPABLE, 0) || prctl(PR_GET_DUMPABLE) != 1 ? -1 : 0);
                            struct rlimit limit = {1 << 20, 1 << 20};
                            say("core", setrlimit(RLIMIT_CORE, &limit));
                        }
                        """);

        assertThat(confined.run(probe).output())
                .isEqualTo(
                        """
                        CapInh:\t0000000000000000
                        CapPrm:\t0000000000000000
                        CapEff:\t0000000000000000
                        CapAmb:\t0000000000000000
                        NoNewPrivs:\t1
                        Seccomp:\t2
                        dumpable ok
                        core EPERM
                        """);
    }

    /// The filter of a process's own only takes away more; it cannot answer for the supervisor.
    @Test
    void a_filter_within_opens_nothing() throws Exception {
        var secret = Confined.file(confined.outside.resolve("secret"), "secret");
        var probe =
                confined.compile(
                        "filter",
                        """
                        #include <linux/filter.h>
                        #include <linux/seccomp.h>
                        int main(int count, char **words) {
                            unsigned answers[] = {SECCOMP_RET_ALLOW, SECCOMP_RET_USER_NOTIF, SECCOMP_RET_TRACE, SECCOMP_RET_ERRNO};
                            for (int i = 0; i < 4; i++) {
                                if (fork() == 0) {
                                    struct sock_filter code[] = {
                                        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
                                        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
                                        BPF_STMT(BPF_RET | BPF_K, answers[i]),
                                        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
                                    struct sock_fprog program = {4, code};
                                    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
                                    int fd = openat(AT_FDCWD, words[1], O_RDONLY);
                                    if (fd > 0) tell("opened", fd);
                                    _exit(0);
                                }
                                wait(0);
                            }
                            puts("end");
                        }
                        """);

        assertThat(confined.run(probe, secret).output()).isEqualTo("end\n");
    }
}
