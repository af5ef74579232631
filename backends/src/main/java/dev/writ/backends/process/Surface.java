// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static dev.writ.kernel.Filter.ALLOW;
import static dev.writ.kernel.Filter.Condition.bits;
import static dev.writ.kernel.Filter.Condition.low;
import static dev.writ.kernel.Filter.Condition.masked;
import static dev.writ.kernel.Filter.Condition.nonzero;
import static dev.writ.kernel.Filter.NOTIFY;

import dev.writ.kernel.Arch;
import dev.writ.kernel.Bpf;
import dev.writ.kernel.Call;
import dev.writ.kernel.Filter;
import dev.writ.kernel.Filter.Action;
import dev.writ.kernel.Filter.Condition;
import dev.writ.kernel.Filter.Rule;
import dev.writ.kernel.Filter.When;
import dev.writ.kernel.Spawn;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Which system calls exist inside a sandbox, and which of them the supervisor decides. What is not
/// named here or in [PlainCalls] does not exist: it answers `ENOSYS`, and programs fall back to an
/// older way. That holds for calls that go around the filter (`io_uring_*`) or hide from the
/// supervisor (`memfd_secret`), and for every call that a later kernel adds.
final class Surface {
    private static final Action EPERM = new Action.Errno(1);
    private static final Action ENOMEM = new Action.Errno(12);
    private static final Action EACCES = new Action.Errno(13);
    private static final Action EBUSY = new Action.Errno(16);
    private static final Action EINVAL = new Action.Errno(22);
    private static final Action ENOTTY = new Action.Errno(25);
    private static final Action ENOSYS = new Action.Errno(38);
    private static final Action ENOPROTOOPT = new Action.Errno(92);
    private static final Action EOPNOTSUPP = new Action.Errno(95);
    private static final Action EAFNOSUPPORT = new Action.Errno(97);

    static final Action OTHERWISE = ENOSYS;

    /// The numbers of what stands for datagram sockets: below what select(2) can wait for, and
    /// above what most programs ever have.
    static final int FIRST_DATAGRAM = 0x300;

    static final int LAST_DATAGRAM = 0x3ff;
    private static final int DATAGRAM_BITS = 0x300;

    /// The numbers of what stands for sockets of NETLINK_ROUTE.
    static final int FIRST_NETLINK = 0x2f0;

    static final int LAST_NETLINK = 0x2ff;
    private static final int NETLINK_BITS = 0x3f0;

    // <fcntl.h> and <sys/stat.h>; these are the same on both architectures.
    private static final int O_ACCMODE = 3;
    private static final int O_CREAT = 0100;
    private static final int O_TRUNC = 01000;
    private static final int O_PATH = 010000000;
    private static final int O_TMPFILE_BIT = 020000000;
    private static final int WRITE_OPEN = O_ACCMODE | O_CREAT | O_TRUNC | O_TMPFILE_BIT;
    private static final int F_SETLEASE = 1024;
    private static final int F_SETDELEG = 1040;
    private static final int S_ISUID_S_ISGID = 06000;

    private static final int MAP_HUGETLB = 0x40000;
    private static final int MFD_HUGETLB = 4;

    private static final int ANY_ACCESS = 7; // R_OK, W_OK, X_OK
    private static final int AF_UNIX = 1;
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    private static final int AF_NETLINK = 16;
    private static final int NETLINK_ROUTE = 0;
    private static final int SOCK_TYPE_MASK = 0xf;
    private static final int SOCK_STREAM = 1;
    private static final int SOCK_DGRAM = 2;
    private static final int SOCK_SEQPACKET = 5;
    private static final int SOL_SOCKET = 1;
    private static final int SO_REUSEPORT = 15;
    private static final int SO_BINDTODEVICE = 25;
    private static final int SO_BINDTOIFINDEX = 62;
    private static final int IP_OPTIONS = 4;
    private static final int IPV6_2292PKTOPTIONS = 6;
    private static final int IPV6_RTHDR = 57;
    private static final int IPPROTO_IP = 0;
    private static final int IPPROTO_TCP = 6;
    private static final int IPPROTO_UDP = 17;
    private static final int IPPROTO_IPV6 = 41;
    private static final int TCP_FASTOPEN = 23;
    private static final int TCP_FASTOPEN_CONNECT = 30;
    private static final int MSG_FASTOPEN = 0x20000000;

    /// `CLONE_NEWNS`, `NEWCGROUP`, `NEWUTS`, `NEWIPC`, `NEWUSER`, `NEWPID` and `NEWNET`.
    private static final int CLONE_NAMESPACES = 0x00020000 | 0x7e000000;

    private static final int CLONE_UNTRACED = 0x00800000;

    /// A child of somebody else, who would have to take note of its end.
    private static final int CLONE_PARENT = 0x8000;

    private static final int CLONE_FS = 0x200;
    private static final int CLONE_FILES = 0x400;
    private static final int CLONE_SYSVSEM = 0x40000;

    private static final int PTRACE_TRACEME = 0;
    private static final int PTRACE_ATTACH = 16;
    private static final int PTRACE_SEIZE = 0x4206;

    private static final int PRIO_USER = 2;
    private static final int IOPRIO_WHO_USER = 3;
    private static final int SECCOMP_FILTER_FLAG_NEW_LISTENER = 8;

    private final Map<Call, Rule> rules = new EnumMap<>(Call.class);

    private Surface() {}

    /// What the supervisor does in the place of the program.
    enum Brokered {
        /// Access to files, where Landlock cannot express the policy on it.
        READS,
        WRITES,
        /// Starts of programs, where Landlock refuses some and says so to nobody.
        STARTS,
        /// What programs do with datagram sockets. There are none; where there is somebody who
        /// answers for the outside, there is what stands for them.
        DATAGRAMS
    }

    /// The program that a sandbox runs under.
    static Bpf.Program program(Arch arch, Set<Brokered> brokered) {
        return Filter.compile(arch, rules(brokered), OTHERWISE);
    }

    /// What happens to each call; [#OTHERWISE] happens to those left out.
    static Map<Call, Rule> rules(Set<Brokered> brokered) {
        var surface = new Surface();
        PlainCalls.ALLOWED.forEach(call -> surface.put(call, ALLOW));
        PlainCalls.FORBIDDEN.forEach(call -> surface.put(call, EPERM));
        PlainCalls.NOTIFIED.forEach(call -> surface.put(call, NOTIFY));
        surface.files(brokered);
        surface.questions(
                brokered.contains(Brokered.READS) || brokered.contains(Brokered.WRITES)
                        ? NOTIFY
                        : ALLOW);
        surface.ioctl();
        surface.hugePages();
        surface.sockets();
        surface.datagrams(brokered.contains(Brokered.DATAGRAMS) ? NOTIFY : ALLOW);
        surface.processes(brokered.contains(Brokered.STARTS) ? NOTIFY : ALLOW);
        surface.priorities();
        surface.put(Call.PRCTL, Prctl.rule());
        return Collections.unmodifiableMap(surface.rules);
    }

    private void put(Call call, Action otherwise, When... whens) {
        put(call, new Rule(List.of(whens), otherwise));
    }

    private void put(Call call, Rule rule) {
        if (rules.put(call, rule) != null) {
            throw new IllegalStateException("a call has one rule: `" + call + "`");
        }
    }

    private void files(Set<Brokered> brokered) {
        var read = brokered.contains(Brokered.READS) ? NOTIFY : ALLOW;
        if (brokered.contains(Brokered.WRITES)) {
            put(Call.OPEN, read, handle(1), bits(1, WRITE_OPEN).then(NOTIFY));
            put(Call.OPENAT, read, handle(2), bits(2, WRITE_OPEN).then(NOTIFY));
            put(Call.CREAT, NOTIFY);
            put(Call.MKNOD, NOTIFY);
            put(Call.MKNODAT, NOTIFY);
        } else {
            // Nobody looks at the mode of a new file then, and a file that runs as its owner would
            // outlive the sandbox. mkdir drops these bits by itself.
            var creates = O_CREAT | O_TMPFILE_BIT;
            put(
                    Call.OPEN,
                    read,
                    handle(1),
                    neither(1),
                    bits(1, creates).and(bits(2, S_ISUID_S_ISGID)).then(EPERM),
                    bits(1, WRITE_OPEN).then(ALLOW));
            put(
                    Call.OPENAT,
                    read,
                    handle(2),
                    neither(2),
                    bits(2, creates).and(bits(3, S_ISUID_S_ISGID)).then(EPERM),
                    bits(2, WRITE_OPEN).then(ALLOW));
            put(Call.CREAT, ALLOW, bits(1, S_ISUID_S_ISGID).then(EPERM));
            put(Call.MKNOD, ALLOW, bits(1, S_ISUID_S_ISGID).then(EPERM));
            put(Call.MKNODAT, ALLOW, bits(2, S_ISUID_S_ISGID).then(EPERM));
        }
        // Whoever opens a file that another holds a lease on waits, up to a minute: the supervisor
        // and processes outside do not wait for anybody in here.
        put(Call.FCNTL, ALLOW, low(1, F_SETLEASE).then(EINVAL), low(1, F_SETDELEG).then(EINVAL));
        // Its flags and mode lie in memory, where a filter does not see them.
        put(Call.OPENAT2, NOTIFY);

        var write = brokered.contains(Brokered.WRITES) ? NOTIFY : ALLOW;
        for (var call :
                List.of(
                        Call.MKDIR,
                        Call.MKDIRAT,
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
                        Call.TRUNCATE)) {
            put(call, write);
        }
    }

    /// What may be done is not for the kernel alone to say where it does not decide alone; whether
    /// something exists is.
    private void questions(Action answer) {
        put(Call.ACCESS, ALLOW, bits(1, ANY_ACCESS).then(answer));
        put(Call.FACCESSAT, ALLOW, bits(2, ANY_ACCESS).then(answer));
        put(Call.FACCESSAT2, ALLOW, bits(2, ANY_ACCESS).then(answer));
    }

    /// With O_PATH nothing is opened, whatever else the flags say: what comes back is good for
    /// naming the object in another call, which is judged then.
    private static When handle(int flags) {
        return bits(flags, O_PATH).then(ALLOW);
    }

    /// An open neither to read nor to write, for ioctl(2) only. Landlock has no right for it, so it
    /// would let everything be opened so, devices that act when they are opened included.
    private static When neither(int flags) {
        return masked(flags, O_ACCMODE, O_ACCMODE).then(EACCES);
    }

    private void ioctl() {
        put(
                Call.IOCTL,
                ALLOW,
                // Of the network cards of this machine a sandbox learns nothing, but of its
                // sockets.
                masked(1, 0xfff8, 0x8900).then(ALLOW), // SIOCATMARK and the like
                low(1, 0x894b).then(ALLOW), // SIOCOUTQNSD
                masked(1, 0xff00, 0x8b00).then(EPERM), // wireless
                masked(1, 0xff00, 0x8900).then(NOTIFY),
                // These put words into the mouth of whoever sits at the terminal.
                low(1, 0x5412).then(EPERM), // TIOCSTI
                low(1, 0x541C).then(EPERM), // TIOCLINUX
                low(1, 0x541D).then(EPERM), // TIOCCONS
                low(1, 0x5423).then(EPERM), // TIOCSETD, loads kernel modules
                // These change attributes of a file that is open for reading only.
                low(1, 0x40086602).then(NOTIFY), // FS_IOC_SETFLAGS
                low(1, 0x40046602).then(NOTIFY), // FS_IOC32_SETFLAGS
                low(1, 0x40087602).then(NOTIFY), // FS_IOC_SETVERSION
                low(1, 0x40086604).then(NOTIFY), // EXT4_IOC_SETVERSION
                low(1, 0x401c5820).then(NOTIFY), // FS_IOC_FSSETXATTR
                low(1, 0x40047211).then(EPERM), // FAT_IOCTL_SET_ATTRIBUTES
                // What file systems can be told through a file that is open for reading only is
                // much, and more with each kernel: to forget the keys of encrypted folders, to
                // make and remove whole trees. So questions only.
                low(1, 0x80086601).then(ALLOW), // FS_IOC_GETFLAGS
                low(1, 0x80046601).then(ALLOW), // FS_IOC32_GETFLAGS
                low(1, 0x80086603).then(ALLOW), // EXT4_IOC_GETVERSION
                low(1, 0xc020660b).then(ALLOW), // FS_IOC_FIEMAP
                low(1, 0x400c6615).then(ALLOW), // FS_IOC_GET_ENCRYPTION_POLICY
                low(1, 0xc0096616).then(ALLOW), // FS_IOC_GET_ENCRYPTION_POLICY_EX
                low(1, 0xc0046686).then(ALLOW), // FS_IOC_MEASURE_VERITY
                masked(1, 0xff00, 0x6600).then(EPERM), // of ext4, and of all that have its requests
                low(1, 0x40049409).then(ALLOW), // FICLONE
                low(1, 0x4020940d).then(ALLOW), // FICLONERANGE
                low(1, 0xc0189436).then(ALLOW), // FIDEDUPERANGE
                low(1, 0x81009431).then(ALLOW), // FS_IOC_GETFSLABEL
                low(1, 0x8400941f).then(ALLOW), // BTRFS_IOC_FS_INFO
                low(1, 0xc0109414).then(ALLOW), // BTRFS_IOC_SPACE_INFO
                low(1, 0x80089419).then(ALLOW), // BTRFS_IOC_SUBVOL_GETFLAGS
                low(1, 0x81f8943c).then(ALLOW), // BTRFS_IOC_GET_SUBVOL_INFO
                masked(1, 0xff00, 0x9400).then(EPERM), // of Btrfs
                // These take room on a disk as fallocate does, which nobody would count. Nobody
                // uses them any more.
                low(1, 0x40305828).then(ENOTTY), // FS_IOC_RESVSP
                low(1, 0x4030582a).then(ENOTTY), // FS_IOC_RESVSP64
                low(1, 0x40305839).then(ENOTTY), // FS_IOC_ZERO_RANGE
                // Who made a process, whose it is and how it ended, of all on the machine. As on
                // an older kernel.
                masked(1, 0xff00, 0xff00).then(ENOTTY)); // of pidfds
    }

    /// Pages from a pool that the machine keeps for those who need it. They count as nobody's
    /// memory; whoever gets none takes others.
    private void hugePages() {
        put(Call.MMAP, ALLOW, bits(3, MAP_HUGETLB).then(ENOMEM));
        // Chromium asks with every flag there is, and takes no other answer.
        put(Call.MEMFD_CREATE, ALLOW, bits(1, MFD_HUGETLB).then(EINVAL));
    }

    /// Only sockets with a connection exist, so that there is one place to ask where they lead.
    private void sockets() {
        var stream = masked(1, SOCK_TYPE_MASK, SOCK_STREAM);
        var seqpacket = masked(1, SOCK_TYPE_MASK, SOCK_SEQPACKET);
        put(
                Call.SOCKET,
                EAFNOSUPPORT,
                low(0, AF_UNIX).and(stream).then(ALLOW),
                low(0, AF_UNIX).and(seqpacket).then(ALLOW),
                low(0, AF_INET).and(stream).and(low(2, 0)).then(ALLOW),
                low(0, AF_INET).and(stream).and(low(2, IPPROTO_TCP)).then(ALLOW),
                low(0, AF_INET6).and(stream).and(low(2, 0)).then(ALLOW),
                low(0, AF_INET6).and(stream).and(low(2, IPPROTO_TCP)).then(ALLOW),
                // Refused as well, but the supervisor writes down that it was wanted.
                low(0, AF_UNIX).then(NOTIFY),
                low(0, AF_INET).then(NOTIFY),
                low(0, AF_INET6).then(NOTIFY),
                low(0, AF_NETLINK).and(low(2, NETLINK_ROUTE)).then(NOTIFY));
        put(
                Call.SOCKETPAIR,
                EACCES,
                low(0, AF_UNIX).and(stream).then(ALLOW),
                low(0, AF_UNIX).and(seqpacket).then(ALLOW),
                // Replaced by a pair that leads nowhere else.
                low(0, AF_UNIX).and(masked(1, SOCK_TYPE_MASK, SOCK_DGRAM)).then(NOTIFY));
        // The supervisor makes named sockets, under names that are not the program's.
        put(Call.GETSOCKNAME, NOTIFY);
        put(Call.GETPEERNAME, NOTIFY);

        // Fast open connects without connect.
        put(
                Call.SENDTO,
                ALLOW,
                nonzero(4).then(NOTIFY),
                bits(3, MSG_FASTOPEN).then(NOTIFY),
                netlink());
    }

    /// Where a program would notice what its datagram sockets are. Nobody waits who does not ask
    /// for addresses: not read, write, send and recv. Where sendmsg and recvmsg keep addresses a
    /// filter does not see, so it goes by the number of the socket.
    private void datagrams(Action answer) {
        var one = masked(0, DATAGRAM_BITS, DATAGRAM_BITS).then(answer);
        put(Call.SENDMSG, ALLOW, bits(2, MSG_FASTOPEN).then(EOPNOTSUPP), netlink(), one);
        put(Call.SENDMMSG, ALLOW, bits(3, MSG_FASTOPEN).then(EOPNOTSUPP), one);
        put(Call.RECVMSG, ALLOW, netlink(), one);
        put(Call.RECVMMSG, ALLOW, one);
        put(Call.RECVFROM, ALLOW, nonzero(4).then(answer));
        put(
                Call.SETSOCKOPT,
                ALLOW,
                // These lead packets past the address that a socket is connected to: by way of
                // other hosts, or out of a network card.
                low(1, IPPROTO_IP).and(low(2, IP_OPTIONS)).then(ENOPROTOOPT),
                low(1, IPPROTO_IPV6).and(low(2, IPV6_2292PKTOPTIONS)).then(ENOPROTOOPT),
                low(1, IPPROTO_IPV6).and(low(2, IPV6_RTHDR)).then(ENOPROTOOPT),
                low(1, SOL_SOCKET).and(low(2, SO_BINDTODEVICE)).then(EPERM),
                low(1, SOL_SOCKET).and(low(2, SO_BINDTOIFINDEX)).then(EPERM),
                low(1, IPPROTO_TCP).and(low(2, TCP_FASTOPEN)).then(ENOPROTOOPT),
                low(1, IPPROTO_TCP).and(low(2, TCP_FASTOPEN_CONNECT)).then(ENOPROTOOPT),
                low(1, SOL_SOCKET).and(low(2, SO_REUSEPORT)).then(answer),
                low(1, IPPROTO_IP).then(answer),
                low(1, IPPROTO_IPV6).then(answer),
                low(1, IPPROTO_UDP).then(answer));
    }

    private static When netlink() {
        return masked(0, NETLINK_BITS, FIRST_NETLINK).then(NOTIFY);
    }

    private void processes(Action starts) {
        // What may be started is decided by Landlock and at the exec stop, whoever looks before.
        put(Call.EXECVE, starts);
        put(Call.EXECVEAT, starts);
        // Where the first process waits until it is followed.
        put(Spawn.GATE, ALLOW, low(0, Spawn.GATE_DESCRIPTOR).then(NOTIFY));
        // Flags of clone3 lie in memory; without it, programs use clone.
        put(Call.CLONE3, ENOSYS);
        put(
                Call.CLONE,
                ALLOW,
                bits(0, CLONE_NAMESPACES | CLONE_PARENT).then(EPERM),
                // Refused as well, but the supervisor says why: so do debuggers begin, and those
                // who look for leaks.
                bits(0, CLONE_UNTRACED).then(NOTIFY));
        put(
                Call.PTRACE,
                EPERM,
                low(0, PTRACE_TRACEME).then(NOTIFY),
                low(0, PTRACE_ATTACH).then(NOTIFY),
                low(0, PTRACE_SEIZE).then(NOTIFY));
        long harmless = CLONE_FS | CLONE_FILES | CLONE_SYSVSEM;
        put(Call.UNSHARE, ALLOW, new Condition.AnyBit(0, ~harmless).then(EPERM));
        // A task has one listener at most, and it is ours. The kernel would say the same.
        put(Call.SECCOMP, ALLOW, bits(1, SECCOMP_FILTER_FLAG_NEW_LISTENER).then(EBUSY));
        put(
                Call.PERSONALITY,
                EPERM,
                low(0, 0).then(ALLOW),
                low(0, -1).then(ALLOW), // asks only
                low(0, 8).then(ALLOW)); // PER_LINUX32: another name of the machine
    }

    /// Landlock does not keep these inside. On oneself, which is 0, they are harmless.
    private void priorities() {
        put(Call.SETPRIORITY, NOTIFY, low(0, PRIO_USER).then(EPERM), low(1, 0).then(ALLOW));
        put(Call.IOPRIO_SET, NOTIFY, low(0, IOPRIO_WHO_USER).then(EPERM), low(1, 0).then(ALLOW));
        var oneself = new Rule(List.of(low(0, 0).then(ALLOW)), NOTIFY);
        for (var call :
                List.of(
                        Call.SCHED_SETAFFINITY,
                        Call.SCHED_SETSCHEDULER,
                        Call.SCHED_SETPARAM,
                        Call.SCHED_SETATTR,
                        Call.PRLIMIT64)) {
            put(call, oneself);
        }
    }
}
