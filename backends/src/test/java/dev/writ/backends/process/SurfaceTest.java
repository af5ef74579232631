// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static dev.writ.backends.process.Surface.Brokered.DATAGRAMS;
import static dev.writ.backends.process.Surface.Brokered.READS;
import static dev.writ.backends.process.Surface.Brokered.STARTS;
import static dev.writ.backends.process.Surface.Brokered.WRITES;
import static dev.writ.kernel.Filter.ALLOW;
import static dev.writ.kernel.Filter.NOTIFY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.backends.process.Surface.Brokered;
import dev.writ.kernel.Arch;
import dev.writ.kernel.Call;
import dev.writ.kernel.Filter.Action;
import dev.writ.kernel.Filter.Rule;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What the table says. That the program says the same is tested where it is compiled.
class SurfaceTest {
    private static final Set<Brokered> NONE = EnumSet.noneOf(Brokered.class);
    private static final Set<Brokered> BOTH = EnumSet.of(READS, WRITES);
    private static final List<Set<Brokered>> VARIANTS =
            List.of(
                    NONE,
                    EnumSet.of(READS),
                    EnumSet.of(WRITES),
                    BOTH,
                    EnumSet.of(DATAGRAMS),
                    EnumSet.allOf(Brokered.class));

    /// Garbage in the upper half of a register, which the kernel ignores where it wants an `int`.
    private static final long HIGH = 0xdead_beef_0000_0000L;

    private static final int O_WRONLY = 1;
    private static final int O_RDWR = 2;
    private static final int O_CREAT = 0100;
    private static final int O_TRUNC = 01000;
    private static final int O_CLOEXEC = 02000000;
    private static final int O_TMPFILE = 020200000;
    private static final int SETUID = 04755;
    private static final int SETGID = 02755;

    /// Adding a call to `Call` changes this list, so that somebody has to think about it.
    @Test
    void exactly_these_calls_do_not_exist() {
        var missing =
                Arrays.stream(Call.values())
                        .filter(call -> answer(NONE, call).equals(errno(38)))
                        .map(call -> call.name().toLowerCase(Locale.ROOT))
                        .collect(Collectors.joining(" "));

        assertThat(missing.split(" "))
                .containsExactly(
                        """
                        uselib ustat sysfs _sysctl create_module get_kernel_syms query_module
                        getpmsg putpmsg afs_syscall tuxcall security set_thread_area
                        get_thread_area epoll_ctl_old epoll_wait_old vserver
                        io_uring_setup io_uring_enter io_uring_register clone3 memfd_secret
                        cachestat lsm_get_self_attr lsm_set_self_attr lsm_list_modules
                        """
                                .strip()
                                .split("\\s+"));
    }

    @Test
    void brokering_changes_calls_on_files_only() {
        var plain = Surface.rules(NONE);
        var brokered = Surface.rules(BOTH);

        assertThat(brokered.keySet()).isEqualTo(plain.keySet());
        assertThat(
                        plain.keySet().stream()
                                .filter(
                                        call ->
                                                !Objects.equals(
                                                        plain.get(call), brokered.get(call))))
                .containsExactlyInAnyOrder(
                        Call.OPEN,
                        Call.OPENAT,
                        Call.ACCESS,
                        Call.FACCESSAT,
                        Call.FACCESSAT2,
                        Call.CREAT,
                        Call.MKDIR,
                        Call.MKDIRAT,
                        Call.MKNOD,
                        Call.MKNODAT,
                        Call.RMDIR,
                        Call.UNLINK,
                        Call.UNLINKAT,
                        Call.RENAME,
                        Call.RENAMEAT,
                        Call.RENAMEAT2,
                        Call.LINK,
                        Call.LINKAT,
                        Call.SYMLINK,
                        Call.SYMLINKAT,
                        Call.TRUNCATE);
    }

    @Test
    void only_who_asks_for_addresses_waits_where_there_is_a_way_out() {
        var plain = Surface.rules(NONE);
        var outward = Surface.rules(EnumSet.of(DATAGRAMS));

        assertThat(
                        plain.keySet().stream()
                                .filter(
                                        call ->
                                                !Objects.equals(
                                                        plain.get(call), outward.get(call))))
                .containsExactlyInAnyOrder(
                        Call.RECVFROM,
                        Call.SENDMSG,
                        Call.SENDMMSG,
                        Call.RECVMSG,
                        Call.RECVMMSG,
                        Call.SETSOCKOPT);
        for (var brokered : VARIANTS) {
            boolean wayOut = brokered.contains(DATAGRAMS);
            assertThat(answer(brokered, Call.RECVFROM, 3, 7, 8, 0, 0, 0)).isEqualTo(ALLOW);
            assertThat(answer(brokered, Call.SENDTO, 3, 7, 8, 0, 0, 0)).isEqualTo(ALLOW);
            assertThat(answer(brokered, Call.SETSOCKOPT, 3, 1, 2)).isEqualTo(ALLOW);
            assertThat(answer(brokered, Call.SETSOCKOPT, 3, 6, 1)).isEqualTo(ALLOW);
            assertThat(answer(brokered, Call.RECVFROM, 3, 7, 8, 0, 9, 9))
                    .isEqualTo(wayOut ? NOTIFY : ALLOW);
            assertThat(answer(brokered, Call.GETSOCKNAME, 3, 7, 8)).isEqualTo(NOTIFY);
            assertThat(answer(brokered, Call.GETPEERNAME, 3, 7, 8)).isEqualTo(NOTIFY);
            assertThat(answer(brokered, Call.SETSOCKOPT, 3, HIGH, 11))
                    .isEqualTo(wayOut ? NOTIFY : ALLOW);
            for (var call : new Call[] {Call.SENDMSG, Call.SENDMMSG, Call.RECVMSG, Call.RECVMMSG}) {
                assertThat(answer(brokered, call, 3, 7, 0)).isEqualTo(ALLOW);
                assertThat(answer(brokered, call, 751, 7, 0)).isEqualTo(ALLOW);
                assertThat(answer(brokered, call, HIGH | 768, 7, 0))
                        .isEqualTo(wayOut ? NOTIFY : ALLOW);
                assertThat(answer(brokered, call, 1023, 7, 0)).isEqualTo(wayOut ? NOTIFY : ALLOW);
            }
        }
    }

    @Test
    void what_stands_for_a_socket_of_netlink_is_known_by_its_number() {
        for (var brokered : VARIANTS) {
            for (long number : new long[] {752, 767, HIGH | 752}) {
                assertThat(answer(brokered, Call.SENDTO, number, 7, 8, 0, 0, 0)).isEqualTo(NOTIFY);
                assertThat(answer(brokered, Call.SENDMSG, number, 7, 0)).isEqualTo(NOTIFY);
                assertThat(answer(brokered, Call.RECVMSG, number, 7, 0)).isEqualTo(NOTIFY);
                assertThat(answer(brokered, Call.GETSOCKNAME, number, 7, 8)).isEqualTo(NOTIFY);
            }
        }
    }

    @Test
    void nobody_asks_the_kernel_for_network_cards() {
        for (long request : new long[] {0x8910, 0x8912, 0x8927, 0x8946, 0x8954, HIGH | 0x89f0}) {
            assertThat(answer(NONE, Call.IOCTL, 3, request, 7)).isEqualTo(NOTIFY);
        }
        for (long request : new long[] {0x8905, 0x8906, 0x894b, 0x541b, 0x80108906L}) {
            assertThat(answer(NONE, Call.IOCTL, 3, request, 7)).isEqualTo(ALLOW);
        }
        assertThat(answer(NONE, Call.IOCTL, 3, 0x8b01, 7)).isEqualTo(errno(1));
    }

    @Test
    void an_open_for_reading_waits_only_where_reads_are_brokered() {
        for (long flags : new long[] {0, O_CLOEXEC, HIGH, HIGH | O_CLOEXEC}) {
            for (var brokered : VARIANTS) {
                var expected = brokered.contains(READS) ? NOTIFY : ALLOW;
                assertThat(answer(brokered, Call.OPEN, 7, flags, HIGH)).isEqualTo(expected);
                assertThat(answer(brokered, Call.OPENAT, 7, 7, flags, SETUID)).isEqualTo(expected);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            ints = {O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_TMPFILE, O_WRONLY | O_CREAT | O_TRUNC})
    void an_open_for_writing_waits_only_where_writes_are_brokered(int flags) {
        for (var brokered : VARIANTS) {
            var expected = brokered.contains(WRITES) ? NOTIFY : ALLOW;
            assertThat(answer(brokered, Call.OPEN, 7, HIGH | flags, 0644)).isEqualTo(expected);
            assertThat(answer(brokered, Call.OPENAT, 7, 7, flags, 0644)).isEqualTo(expected);
            assertThat(answer(brokered, Call.CREAT, 7, 0644)).isEqualTo(expected);
        }
    }

    /// Landlock has no right that would forbid it.
    @Test
    void an_open_neither_for_reading_nor_for_writing_is_refused_or_judged() {
        for (var brokered : VARIANTS) {
            var expected = brokered.contains(WRITES) ? NOTIFY : errno(13);
            assertThat(answer(brokered, Call.OPEN, 7, HIGH | 3, 0)).isEqualTo(expected);
            assertThat(answer(brokered, Call.OPENAT, 7, 7, HIGH | 3, 0)).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {SETUID, SETGID, 06000})
    void a_file_that_runs_as_its_owner_is_not_made_unseen(int mode) {
        for (int flags : new int[] {O_CREAT, O_CREAT | O_RDWR, O_TMPFILE, O_TMPFILE | O_RDWR}) {
            for (var brokered : VARIANTS) {
                var expected = brokered.contains(WRITES) ? NOTIFY : errno(1);
                assertThat(answer(brokered, Call.OPEN, 7, flags, mode)).isEqualTo(expected);
                assertThat(answer(brokered, Call.OPENAT, 7, 7, flags, mode)).isEqualTo(expected);
                assertThat(answer(brokered, Call.CREAT, 7, mode)).isEqualTo(expected);
                assertThat(answer(brokered, Call.MKNOD, 7, mode)).isEqualTo(expected);
                assertThat(answer(brokered, Call.MKNODAT, 7, 7, mode)).isEqualTo(expected);
            }
        }
        assertThat(answer(NONE, Call.OPENAT, 7, 7, O_WRONLY, mode)).isEqualTo(ALLOW);
    }

    @Test
    void an_open_whose_flags_cannot_be_seen_waits() {
        for (var brokered : VARIANTS) {
            assertThat(answer(brokered, Call.OPENAT2)).isEqualTo(NOTIFY);
        }
    }

    @Test
    void a_question_what_may_be_done_is_answered_by_the_policy() {
        for (int wanted = 1; wanted <= 7; wanted++) {
            assertThat(answer(BOTH, Call.ACCESS, 7, wanted)).isEqualTo(NOTIFY);
            assertThat(answer(BOTH, Call.FACCESSAT, 7, 7, wanted)).isEqualTo(NOTIFY);
            assertThat(answer(BOTH, Call.FACCESSAT2, 7, 7, wanted)).isEqualTo(NOTIFY);
            assertThat(answer(NONE, Call.ACCESS, 7, wanted)).isEqualTo(ALLOW);
        }
        assertThat(answer(BOTH, Call.ACCESS, 7, 0)).isEqualTo(ALLOW);
    }

    @Test
    void what_is_not_opened_is_not_judged() {
        int path = 010000000;
        for (var brokered : VARIANTS) {
            assertThat(answer(brokered, Call.OPENAT, 7, 7, path)).isEqualTo(ALLOW);
            // The kernel ignores the rest of the flags then.
            assertThat(answer(brokered, Call.OPEN, 7, path | O_CREAT | O_RDWR, SETUID))
                    .isEqualTo(ALLOW);
        }
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "MKDIR",
                "MKDIRAT",
                "MKNOD",
                "MKNODAT",
                "RMDIR",
                "UNLINK",
                "UNLINKAT",
                "RENAME",
                "RENAMEAT",
                "RENAMEAT2",
                "LINK",
                "LINKAT",
                "SYMLINK",
                "SYMLINKAT",
                "TRUNCATE"
            })
    void a_change_of_names_waits_only_where_writes_are_brokered(Call call) {
        for (var brokered : VARIANTS) {
            assertThat(answer(brokered, call))
                    .isEqualTo(brokered.contains(WRITES) ? NOTIFY : ALLOW);
        }
    }

    @Test
    void what_landlock_does_not_cover_always_waits() {
        assertAnswer(
                NOTIFY,
                """
                chmod fchmod fchmodat fchmodat2 chown lchown fchown fchownat utime utimes futimesat
                utimensat setxattr lsetxattr fsetxattr setxattrat removexattr lremovexattr
                fremovexattr removexattrat file_setattr inotify_add_watch connect bind listen fallocate
                shmget shmat shmctl getxattr lgetxattr getxattrat listxattr llistxattr listxattrat
                """);
    }

    @Test
    void a_request_that_changes_attributes_waits_and_one_that_types_is_refused() {
        for (long request : new long[] {0x40086602, 0x401c5820, 0x40087602, 0x40086604}) {
            assertThat(answer(NONE, Call.IOCTL, 3, HIGH | request)).isEqualTo(NOTIFY);
        }
        for (long request : new long[] {0x5412, 0x541C, 0x541D, 0x5423}) {
            assertThat(answer(NONE, Call.IOCTL, 3, HIGH | request)).isEqualTo(errno(1));
        }
        // FS_IOC_RESVSP, FS_IOC_RESVSP64, FS_IOC_ZERO_RANGE
        for (long request : new long[] {0x40305828, 0x4030582a, 0x40305839}) {
            assertThat(answer(NONE, Call.IOCTL, 3, HIGH | request)).isEqualTo(errno(25));
        }
        // TCGETS, TIOCGWINSZ, FIONBIO, FICLONE, FS_IOC_GETFLAGS
        for (long request : new long[] {0x5401, 0x5413, 0x5421, 0x40049409, 0x80086601}) {
            assertThat(answer(NONE, Call.IOCTL, 3, request)).isEqualTo(ALLOW);
        }
    }

    @Test
    void of_a_file_system_can_be_asked_and_nothing_told() {
        var told =
                new long[] {
                    0xc0506617L, // FS_IOC_ADD_ENCRYPTION_KEY
                    0xc0406618L, // FS_IOC_REMOVE_ENCRYPTION_KEY
                    0x800c6613L, // FS_IOC_SET_ENCRYPTION_POLICY
                    0x40806685, // FS_IOC_ENABLE_VERITY
                    0x6609, // EXT4_IOC_MIGRATE
                    0x50009401, // BTRFS_IOC_SNAP_CREATE
                    0x50009402, // BTRFS_IOC_DEFRAG
                    0x5000940f, // BTRFS_IOC_SNAP_DESTROY
                    0x4008941a, // BTRFS_IOC_SUBVOL_SETFLAGS
                    0xc0c89425L, // BTRFS_IOC_SET_RECEIVED_SUBVOL
                    0x5000943f, // BTRFS_IOC_SNAP_DESTROY_V2
                    0x94ff, // what is not known yet
                };
        for (long request : told) {
            assertThat(answer(NONE, Call.IOCTL, 3, HIGH | request)).isEqualTo(errno(1));
        }
        // FS_IOC_FIEMAP, FICLONERANGE, FIDEDUPERANGE, FS_IOC_GETFSLABEL
        for (long request : new long[] {0xc020660bL, 0x4020940d, 0xc0189436L, 0x81009431L}) {
            assertThat(answer(NONE, Call.IOCTL, 3, request)).isEqualTo(ALLOW);
        }
        assertThat(answer(NONE, Call.IOCTL, 3, 0xc040ff0bL)) // PIDFD_GET_INFO
                .isEqualTo(errno(25));
    }

    @Test
    void nobody_gets_pages_that_are_not_counted() {
        long huge = 0x40000;
        for (var brokered : VARIANTS) {
            assertThat(answer(brokered, Call.MMAP, 0, 4096, 3, 0x22 | huge)).isEqualTo(errno(12));
            assertThat(answer(brokered, Call.MMAP, 0, 4096, 3, 0x22)).isEqualTo(ALLOW);
            assertThat(answer(brokered, Call.MEMFD_CREATE, 0, 4)).isEqualTo(errno(22));
            assertThat(answer(brokered, Call.MEMFD_CREATE, 0, 3)).isEqualTo(ALLOW);
        }
    }

    @Test
    void only_sockets_with_a_connection_exist() {
        long nonblock = 04000;
        for (long type : new long[] {1, 5, 1 | nonblock, HIGH | 5}) {
            assertThat(answer(NONE, Call.SOCKET, 1, type)).isEqualTo(ALLOW);
            assertThat(answer(NONE, Call.SOCKETPAIR, 1, type)).isEqualTo(ALLOW);
        }
        for (long type : new long[] {0, 2, 3, 2 | nonblock}) {
            assertThat(answer(NONE, Call.SOCKET, 1, type)).isEqualTo(NOTIFY);
            assertThat(answer(NONE, Call.SOCKETPAIR, 1, type))
                    .isEqualTo((type & 0xf) == 2 ? NOTIFY : errno(13));
        }
        for (long family : new long[] {2, 10, HIGH | 2, HIGH | 10}) {
            assertThat(answer(NONE, Call.SOCKET, family, 1, 0)).isEqualTo(ALLOW);
            assertThat(answer(NONE, Call.SOCKET, family, 1 | nonblock, 6)).isEqualTo(ALLOW);
            assertThat(answer(NONE, Call.SOCKET, family, 1, 132)).isEqualTo(NOTIFY);
            assertThat(answer(NONE, Call.SOCKET, family, 1, 262)).isEqualTo(NOTIFY);
            assertThat(answer(NONE, Call.SOCKET, family, 2, 0)).isEqualTo(NOTIFY);
            assertThat(answer(NONE, Call.SOCKET, family, 3, 1)).isEqualTo(NOTIFY);
            assertThat(answer(NONE, Call.SOCKET, family, 5, 0)).isEqualTo(NOTIFY);
            assertThat(answer(NONE, Call.SOCKETPAIR, family, 1)).isEqualTo(errno(13));
        }
        assertThat(answer(NONE, Call.SOCKET, 16, 3, 0)).as("routes").isEqualTo(NOTIFY);
        for (long protocol : new long[] {1, 4, 9, 12, 16, HIGH | 4}) {
            assertThat(answer(NONE, Call.SOCKET, 16, 3, protocol)).isEqualTo(errno(97));
        }
        // AF_UNSPEC, AF_PACKET, AF_ALG, AF_VSOCK, AF_XDP, and none at all
        for (long family : new long[] {0, 17, 38, 40, 44, -1}) {
            assertThat(answer(NONE, Call.SOCKET, family, 1, 0)).isEqualTo(errno(97));
            assertThat(answer(NONE, Call.SOCKETPAIR, family, 1, 0)).isEqualTo(errno(13));
        }
    }

    @Test
    void nothing_is_sent_to_an_address_unseen() {
        long fastOpen = 0x20000000;
        long noSignal = 0x4000;

        assertThat(answer(NONE, Call.SENDTO, 3, 7, 7, noSignal, 0, 0)).isEqualTo(ALLOW);
        assertThat(answer(NONE, Call.SENDTO, 3, 7, 7, 0, 7, 16)).isEqualTo(NOTIFY);
        assertThat(answer(NONE, Call.SENDTO, 3, 7, 7, 0, HIGH, 16)).isEqualTo(NOTIFY);
        assertThat(answer(NONE, Call.SENDTO, 3, 7, 7, fastOpen, 0, 0)).isEqualTo(NOTIFY);
        assertThat(answer(NONE, Call.SENDMSG, 3, 7, noSignal)).isEqualTo(ALLOW);
        assertThat(answer(NONE, Call.SENDMSG, 3, 7, HIGH | fastOpen)).isEqualTo(errno(95));
        assertThat(answer(NONE, Call.SENDMMSG, 3, 7, fastOpen, noSignal)).isEqualTo(ALLOW);
        assertThat(answer(NONE, Call.SENDMMSG, 3, 7, 1, fastOpen)).isEqualTo(errno(95));
        assertThat(answer(NONE, Call.SETSOCKOPT, 3, 6, 23)).isEqualTo(errno(92));
        assertThat(answer(NONE, Call.SETSOCKOPT, 3, 6, 30)).isEqualTo(errno(92));
        assertThat(answer(NONE, Call.SETSOCKOPT, 3, 6, 1)).isEqualTo(ALLOW);
        assertThat(answer(NONE, Call.SETSOCKOPT, 3, 1, 30)).isEqualTo(ALLOW);
    }

    @Test
    void no_option_leads_a_socket_past_its_address() {
        for (var brokered : VARIANTS) {
            assertThat(answer(brokered, Call.SETSOCKOPT, 3, 0, HIGH | 4)).isEqualTo(errno(92));
            assertThat(answer(brokered, Call.SETSOCKOPT, 3, 41, 6)).isEqualTo(errno(92));
            assertThat(answer(brokered, Call.SETSOCKOPT, 3, 41, 57)).isEqualTo(errno(92));
            assertThat(answer(brokered, Call.SETSOCKOPT, 3, HIGH | 1, 25)).isEqualTo(errno(1));
            assertThat(answer(brokered, Call.SETSOCKOPT, 3, 1, 62)).isEqualTo(errno(1));
        }
    }

    @Test
    void a_process_makes_others_but_no_namespaces() {
        long thread = 0x3d0f00; // what the C library asks for
        long vfork = 0x4111;

        assertThat(answer(NONE, Call.CLONE, thread)).isEqualTo(ALLOW);
        assertThat(answer(NONE, Call.CLONE, vfork)).isEqualTo(ALLOW);
        for (long flag :
                new long[] {
                    0x20000,
                    0x02000000,
                    0x04000000,
                    0x08000000,
                    0x10000000,
                    0x20000000,
                    0x40000000,
                    0x8000
                }) {
            assertThat(answer(NONE, Call.CLONE, HIGH | thread | flag)).isEqualTo(errno(1));
            assertThat(answer(NONE, Call.UNSHARE, flag)).isEqualTo(errno(1));
        }
        assertThat(answer(NONE, Call.CLONE, HIGH | thread | 0x00800000)).isEqualTo(NOTIFY);
        assertThat(answer(NONE, Call.CLONE, thread | 0x00808000)).isEqualTo(errno(1));
        assertThat(answer(NONE, Call.UNSHARE, 0x00800000)).isEqualTo(errno(1));
        assertThat(answer(NONE, Call.CLONE3)).isEqualTo(errno(38));
        assertThat(answer(NONE, Call.SETNS)).isEqualTo(errno(1));
        for (long flags : new long[] {0, 0x200, 0x400, 0x40000, 0x40600}) {
            assertThat(answer(NONE, Call.UNSHARE, flags)).isEqualTo(ALLOW);
        }
        for (long flags : new long[] {0x80, 0x100, 0x600 | 0x80, HIGH, HIGH | 0x200}) {
            assertThat(answer(NONE, Call.UNSHARE, flags)).isEqualTo(errno(1));
        }
        assertAnswer(ALLOW, "fork vfork exit exit_group wait4 waitid");
        for (var call : List.of(Call.EXECVE, Call.EXECVEAT)) {
            assertThat(answer(NONE, call)).isEqualTo(ALLOW);
            assertThat(answer(EnumSet.of(STARTS), call)).isEqualTo(NOTIFY);
        }
    }

    @Test
    void a_process_stays_readable_for_the_supervisor() {
        assertThat(answer(NONE, Call.PRCTL, HIGH | 4, 0)).isEqualTo(errno(0));
        assertThat(answer(NONE, Call.PRCTL, 0x59616d61, -1)).isEqualTo(errno(0));
    }

    @Test
    void options_of_a_process_are_allowed_by_name() {
        for (long option :
                new long[] {
                    1,
                    2,
                    3,
                    7,
                    8,
                    15,
                    16,
                    21,
                    22,
                    23,
                    24,
                    29,
                    30,
                    36,
                    37,
                    38,
                    39,
                    40,
                    41,
                    42,
                    47,
                    52,
                    55,
                    56,
                    65,
                    66,
                    0x53564d41,
                    HIGH | 15
                }) {
            assertThat(answer(NONE, Call.PRCTL, option)).isEqualTo(ALLOW);
        }
        // SET_UNALIGN, SET_SECUREBITS, TASK_PERF_EVENTS_DISABLE, SET_MM, SET_SYSCALL_USER_DISPATCH
        for (long option : new long[] {0, 6, 28, 31, 35, 59, 62, 67, 999, -1}) {
            assertThat(answer(NONE, Call.PRCTL, option)).isEqualTo(errno(22));
        }
    }

    @Test
    void a_filter_within_the_filter_has_no_listener() {
        assertThat(answer(NONE, Call.SECCOMP, 1, 0)).isEqualTo(ALLOW);
        assertThat(answer(NONE, Call.SECCOMP, 1, 1)).isEqualTo(ALLOW);
        assertThat(answer(NONE, Call.SECCOMP, 1, 8)).isEqualTo(errno(16));
        assertThat(answer(NONE, Call.SECCOMP, 1, HIGH | 0x28)).isEqualTo(errno(16));
        assertAnswer(ALLOW, "landlock_create_ruleset landlock_add_rule landlock_restrict_self");
    }

    @Test
    void signals_are_left_to_landlock_and_other_processes_are_out_of_reach() {
        assertAnswer(
                ALLOW,
                """
                kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal pidfd_open
                """);
        assertAnswer(
                errno(1),
                """
                pidfd_getfd process_vm_readv process_vm_writev process_madvise process_mrelease
                kcmp migrate_pages move_pages
                """);
        for (long begins : new long[] {0, 16, 0x4206}) {
            assertThat(answer(NONE, Call.PTRACE, begins)).isEqualTo(NOTIFY);
        }
        for (long other : new long[] {1, 3, 4, 7, 0x4200}) {
            assertThat(answer(NONE, Call.PTRACE, other)).isEqualTo(errno(1));
        }
    }

    @Test
    void priorities_are_changed_for_oneself_only_unless_the_supervisor_agrees() {
        assertThat(answer(NONE, Call.SETPRIORITY, 0, 0, 10)).isEqualTo(ALLOW);
        assertThat(answer(NONE, Call.SETPRIORITY, 0, HIGH, 10)).isEqualTo(ALLOW);
        assertThat(answer(NONE, Call.SETPRIORITY, 0, 7, 10)).isEqualTo(NOTIFY);
        assertThat(answer(NONE, Call.SETPRIORITY, 2, 0, 10)).isEqualTo(errno(1));
        assertThat(answer(NONE, Call.IOPRIO_SET, 1, 0, 1)).isEqualTo(ALLOW);
        assertThat(answer(NONE, Call.IOPRIO_SET, 1, 7, 1)).isEqualTo(NOTIFY);
        assertThat(answer(NONE, Call.IOPRIO_SET, 3, 0, 1)).isEqualTo(errno(1));
        for (var call :
                List.of(
                        Call.SCHED_SETAFFINITY,
                        Call.SCHED_SETSCHEDULER,
                        Call.SCHED_SETPARAM,
                        Call.SCHED_SETATTR,
                        Call.PRLIMIT64)) {
            assertThat(answer(NONE, call, 0)).isEqualTo(ALLOW);
            assertThat(answer(NONE, call, 7)).isEqualTo(NOTIFY);
        }
    }

    @Test
    void a_process_cannot_turn_off_what_protects_it() {
        for (long personality : new long[] {0, 0xffffffffL, 8, -1}) {
            assertThat(answer(NONE, Call.PERSONALITY, personality)).isEqualTo(ALLOW);
        }
        // ADDR_NO_RANDOMIZE, READ_IMPLIES_EXEC, MMAP_PAGE_ZERO
        for (long personality : new long[] {0x0040000, 0x0400000, 0x0100000, 1}) {
            assertThat(answer(NONE, Call.PERSONALITY, personality)).isEqualTo(errno(1));
        }
    }

    @Test
    void what_is_for_those_who_run_the_machine_is_refused() {
        assertAnswer(
                errno(1),
                """
                mbind set_mempolicy set_mempolicy_home_node get_mempolicy bpf perf_event_open
                userfaultfd keyctl add_key request_key mount umount2 pivot_root chroot open_tree
                open_tree_attr move_mount fsopen fsconfig fsmount fspick mount_setattr statmount
                listmount swapon swapoff reboot kexec_load kexec_file_load init_module finit_module
                delete_module iopl ioperm modify_ldt acct quotactl quotactl_fd sethostname
                setdomainname settimeofday clock_settime clock_adjtime adjtimex syslog vhangup
                lookup_dcookie name_to_handle_at open_by_handle_at fanotify_init fanotify_mark
                vmsplice nfsservctl semget semop semctl semtimedop msgget
                msgsnd msgrcv msgctl mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify
                mq_getsetattr
                """);
    }

    @Test
    void what_every_program_needs_is_allowed() {
        assertAnswer(
                ALLOW,
                """
                read write close munmap mprotect brk futex rseq membarrier mseal
                map_shadow_stack pkey_alloc clock_gettime clock_nanosleep epoll_pwait2 pipe2 splice
                tee copy_file_range sendfile stat newfstatat statx readlinkat
                chdir fgetxattr statfs getdents64 flock setuid setgroups capset
                setrlimit getrlimit arch_prctl getrandom restart_syscall fsync fadvise64
                readahead inotify_init1 inotify_rm_watch signalfd4 eventfd2 waitid accept4
                sched_getaffinity rt_sigreturn exit_group
                """);
    }

    @Test
    void nobody_is_made_to_wait_by_a_lease() {
        for (var brokered : VARIANTS) {
            assertThat(answer(brokered, Call.FCNTL, 3, 1024)).isEqualTo(errno(22)); // F_SETLEASE
            assertThat(answer(brokered, Call.FCNTL, 3, 1040)).isEqualTo(errno(22)); // F_SETDELEG
            assertThat(answer(brokered, Call.FCNTL, 3, 1025)).isEqualTo(ALLOW); // F_GETLEASE
            assertThat(answer(brokered, Call.FCNTL, 3, 6)).isEqualTo(ALLOW); // F_SETLK
        }
    }

    @ParameterizedTest
    @EnumSource
    void every_variant_fits_into_a_quarter_of_what_the_kernel_takes(Arch arch) {
        for (var brokered : VARIANTS) {
            assertThat(Surface.program(arch, brokered).size()).isLessThan(1024);
        }
    }

    /// The same in every variant.
    private static void assertAnswer(Action expected, String names) {
        for (var name : names.strip().split("\\s+")) {
            var call = Call.valueOf(name.toUpperCase(Locale.ROOT));
            for (var brokered : VARIANTS) {
                assertThat(Surface.rules(brokered).get(call))
                        .as(name)
                        .isEqualTo(Rule.always(expected));
            }
        }
    }

    private static Action answer(Set<Brokered> brokered, Call call, long... arguments) {
        return Surface.rules(brokered)
                .getOrDefault(call, Rule.always(Surface.OTHERWISE))
                .answer(Arrays.copyOf(arguments, 6));
    }

    private static Action errno(int number) {
        return new Action.Errno(number);
    }
}
