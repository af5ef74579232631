// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.kernel.Call;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.StringTokenizer;

/// The system calls whose answer is the same whatever their arguments and whatever is brokered.
/// Those in no list here, and with no rule in [Surface], do not exist in a sandbox.
final class PlainCalls {
    private PlainCalls() {}

    /// What ordinary programs, language runtimes, compilers, databases and browsers need, and what
    /// reaches nothing beyond what Landlock and the other rules let them have.
    static final Set<Call> ALLOWED =
            named(
                    // Files that are already open. Opening them is where it is decided.
                    """
                    read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2
                    close close_range dup dup2 dup3 lseek flock getdents getdents64 ftruncate
                    fadvise64 readahead sync fsync fdatasync syncfs sync_file_range
                    sendfile copy_file_range splice tee pipe pipe2
                    io_setup io_destroy io_submit io_cancel io_getevents io_pgetevents
                    """,
                    // Looking at files without opening them, and the working directory.
                    """
                    stat fstat lstat newfstatat statx statfs fstatfs
                    readlink readlinkat fgetxattr flistxattr file_getattr
                    getcwd chdir umask
                    """,
                    // Memory of its own.
                    """
                    brk munmap mremap mprotect madvise mincore msync mseal remap_file_pages
                    mlock mlock2 mlockall munlock munlockall map_shadow_stack
                    pkey_mprotect pkey_alloc pkey_free membarrier shmdt
                    """,
                    // Waiting: futexes, events, time.
                    """
                    futex futex_waitv futex_wake futex_wait futex_requeue
                    set_robust_list get_robust_list rseq
                    poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait
                    epoll_pwait epoll_pwait2 eventfd eventfd2 inotify_init inotify_init1
                    inotify_rm_watch
                    time gettimeofday clock_gettime clock_getres clock_nanosleep nanosleep
                    alarm pause getitimer setitimer timer_create timer_settime timer_gettime
                    timer_getoverrun timer_delete timerfd_create timerfd_settime timerfd_gettime
                    """,
                    // Signals. Landlock keeps them inside the sandbox.
                    """
                    kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_open pidfd_send_signal
                    rt_sigaction rt_sigprocmask rt_sigpending rt_sigsuspend rt_sigtimedwait
                    rt_sigreturn sigaltstack signalfd signalfd4 restart_syscall
                    """,
                    // Processes and threads. What may be executed is decided elsewhere.
                    """
                    fork vfork exit exit_group wait4 waitid set_tid_address
                    arch_prctl getpid getppid gettid getpgid getpgrp setpgid getsid setsid
                    sched_yield sched_getaffinity sched_getparam sched_getscheduler sched_getattr
                    sched_get_priority_max sched_get_priority_min sched_rr_get_interval
                    getpriority ioprio_get getrlimit setrlimit getrusage times getcpu uname sysinfo
                    getrandom
                    """,
                    // Users. There is no privilege to gain: no_new_privs is set.
                    """
                    getuid geteuid getgid getegid getresuid getresgid getgroups
                    setuid setgid setreuid setregid setresuid setresgid setfsuid setfsgid setgroups
                    capget capset
                    """,
                    // Sockets that exist. Where they lead is decided when they are connected.
                    """
                    accept accept4 getsockopt shutdown
                    """,
                    // A sandbox within the sandbox only takes away more, though not from files that
                    // the supervisor opens in the program's place.
                    """
                    landlock_create_ruleset landlock_add_rule landlock_restrict_self
                    """,
                    // Made by the kernel's own trampolines when somebody outside probes the
                    // program. Made by the program itself they do nothing, or end it.
                    """
                    uprobe uretprobe
                    """);

    /// What exists, and is for those who run the machine or look into other processes. A program is
    /// told that it lacks the privilege, as it would be without a sandbox.
    static final Set<Call> FORBIDDEN =
            named(
                    // Other processes: their memory, their files, their place in memory.
                    """
                    process_vm_readv process_vm_writev process_madvise process_mrelease
                    pidfd_getfd kcmp migrate_pages move_pages
                    """,
                    // Placement of memory. Rarely needed, often a way into the kernel.
                    """
                    mbind get_mempolicy set_mempolicy set_mempolicy_home_node
                    """,
                    // Namespaces and mounts. A mount would change what a path means.
                    """
                    setns chroot pivot_root mount umount2 open_tree open_tree_attr move_mount
                    fsopen fsconfig fsmount fspick mount_setattr statmount listmount
                    """,
                    // Files by number instead of by name, and watching whole file systems.
                    """
                    name_to_handle_at open_by_handle_at lookup_dcookie fanotify_init fanotify_mark
                    """,
                    // Parts of the kernel with a history.
                    """
                    bpf perf_event_open userfaultfd vmsplice keyctl add_key request_key
                    """,
                    // The machine.
                    """
                    reboot kexec_load kexec_file_load init_module finit_module delete_module
                    swapon swapoff acct quotactl quotactl_fd nfsservctl syslog vhangup
                    iopl ioperm modify_ldt sethostname setdomainname
                    settimeofday clock_settime clock_adjtime adjtimex
                    """,
                    // Shared by everybody on the machine, under names that Landlock does not know.
                    """
                    semget semop semctl semtimedop
                    msgget msgsnd msgrcv msgctl
                    mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr
                    """);

    /// What Landlock does not cover, or not on every kernel. The supervisor decides by the policy.
    static final Set<Call> NOTIFIED =
            named(
                    // Mode, owner, times and attributes of anything that can be seen.
                    """
                    chmod fchmod fchmodat fchmodat2 chown lchown fchown fchownat
                    utime utimes futimesat utimensat
                    setxattr lsetxattr fsetxattr setxattrat
                    removexattr lremovexattr fremovexattr removexattrat file_setattr
                    getxattr lgetxattr getxattrat listxattr llistxattr listxattrat
                    """,
                    // A watch tells what others do to a file that may not even be read.
                    """
                    inotify_add_watch
                    """,
                    // The network, and named sockets.
                    """
                    connect bind listen
                    """,
                    // Shared memory that everybody on the machine could attach to: its own only.
                    """
                    shmget shmat shmctl
                    """,
                    // Takes room on a disk without writing anything.
                    """
                    fallocate
                    """);

    private static Set<Call> named(String... groups) {
        var calls = EnumSet.noneOf(Call.class);
        for (var group : groups) {
            for (var names = new StringTokenizer(group); names.hasMoreTokens(); ) {
                var name = names.nextToken();
                if (!calls.add(Call.valueOf(name.toUpperCase(Locale.ROOT)))) {
                    throw new IllegalStateException("a call is listed once: `" + name + "`");
                }
            }
        }
        return Collections.unmodifiableSet(calls);
    }
}
