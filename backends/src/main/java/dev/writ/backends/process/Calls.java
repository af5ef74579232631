// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.capability.FilePath;
import dev.writ.kernel.Call;
import dev.writ.kernel.Errno;
import dev.writ.kernel.Notifications.Notification;
import java.util.List;
import java.util.Optional;

/// Who answers which call, for one thread that answers.
final class Calls {
    private final Worker worker;
    private final Tree tree;
    private final Segments segments;
    private final Opens opens;
    private final Questions questions;
    private final Names names;
    private final Attributes attributes;
    private final ExtendedAttributes extended;
    private final Connections connections;
    private final DatagramCalls datagrams;
    private final MessageCalls messages;
    private final CardCalls cards;
    private final Neighbours neighbours;
    private final Starting starting;

    Calls(
            Worker worker,
            Judge judge,
            Tree tree,
            Segments segments,
            NetlinkSockets netlink,
            Usage usage,
            Optional<WayOut> wayOut,
            List<FilePath> startable) {
        this.worker = worker;
        this.tree = tree;
        this.segments = segments;
        var walker = new Walker(worker, judge.members(), new OwnMemory(judge));
        opens = new Opens(worker, walker, judge, tree, usage, wayOut);
        questions = new Questions(worker, walker, judge);
        names = new Names(worker, walker, judge, usage);
        attributes = new Attributes(worker, walker, judge);
        extended = new ExtendedAttributes(worker, judge, attributes, usage);
        datagrams = new DatagramCalls(worker, judge, tree, netlink, wayOut);
        messages = new MessageCalls(worker, datagrams);
        connections = new Connections(worker, walker, judge, tree, usage, datagrams, wayOut);
        cards = new CardCalls(worker);
        neighbours = new Neighbours(worker, judge.members());
        starting = new Starting(worker, walker, judge, startable);
    }

    /// @throws Failed if the answer is an error
    void answer(Notification call) {
        var which = Call.numbered(call.number());
        if (which == null) {
            throw new Failed(Errno.ENOSYS);
        }
        switch (which) {
            case OPEN -> opens.open(call);
            case CREAT -> opens.creat(call);
            case OPENAT -> opens.openat(call);
            case OPENAT2 -> opens.openat2(call);
            case EXECVE -> starting.execve(call);
            case EXECVEAT -> starting.execveat(call);
            case ACCESS -> questions.access(call);
            case FACCESSAT -> questions.faccessat(call);
            case FACCESSAT2 -> questions.faccessat2(call);
            case MKDIR -> names.mkdir(call);
            case MKDIRAT -> names.mkdirat(call);
            case MKNOD -> names.mknod(call);
            case MKNODAT -> names.mknodat(call);
            case UNLINK -> names.unlink(call);
            case RMDIR -> names.rmdir(call);
            case UNLINKAT -> names.unlinkat(call);
            case SYMLINK -> names.symlink(call);
            case SYMLINKAT -> names.symlinkat(call);
            case LINK -> names.link(call);
            case LINKAT -> names.linkat(call);
            case RENAME -> names.rename(call);
            case RENAMEAT -> names.renameat(call);
            case RENAMEAT2 -> names.renameat2(call);
            case TRUNCATE -> names.truncate(call);
            case FALLOCATE -> names.allocate(call);
            case CHMOD -> attributes.chmod(call);
            case FCHMOD -> attributes.fchmod(call);
            case FCHMODAT -> attributes.fchmodat(call);
            case FCHMODAT2 -> attributes.fchmodat2(call);
            case CHOWN -> attributes.chown(call);
            case LCHOWN -> attributes.lchown(call);
            case FCHOWN -> attributes.fchown(call);
            case FCHOWNAT -> attributes.fchownat(call);
            case UTIME -> attributes.utime(call);
            case UTIMES -> attributes.utimes(call);
            case FUTIMESAT -> attributes.futimesat(call);
            case UTIMENSAT -> attributes.utimensat(call);
            case GETXATTR -> extended.getxattr(call);
            case LGETXATTR -> extended.lgetxattr(call);
            case LISTXATTR -> extended.listxattr(call);
            case LLISTXATTR -> extended.llistxattr(call);
            case SETXATTR -> extended.setxattr(call);
            case LSETXATTR -> extended.lsetxattr(call);
            case FSETXATTR -> extended.fsetxattr(call);
            case REMOVEXATTR -> extended.removexattr(call);
            case LREMOVEXATTR -> extended.lremovexattr(call);
            case FREMOVEXATTR -> extended.fremovexattr(call);
            case IOCTL -> {
                if (CardCalls.isOne(call)) {
                    cards.answer(call);
                } else {
                    attributes.setFlags(call);
                }
            }
            case INOTIFY_ADD_WATCH -> attributes.watch(call);
            case CONNECT -> connections.connect(call);
            case BIND -> connections.bind(call);
            case LISTEN -> connections.listen(call);
            case SOCKET -> datagrams.make(call);
            case SOCKETPAIR -> datagrams.pair(call);
            case SENDTO -> datagrams.send(call);
            case RECVFROM -> datagrams.receive(call);
            case SENDMSG -> messages.send(call);
            case SENDMMSG -> messages.sendSome(call);
            case RECVMSG -> messages.receive(call);
            case RECVMMSG -> messages.receiveSome(call);
            case GETSOCKNAME -> connections.name(call);
            case GETPEERNAME -> connections.peer(call);
            case SETSOCKOPT -> datagrams.option(call);
            case SETPRIORITY -> neighbours.priority(call);
            case IOPRIO_SET -> neighbours.inputPriority(call);
            case SCHED_SETAFFINITY, SCHED_SETSCHEDULER, SCHED_SETPARAM, SCHED_SETATTR, PRLIMIT64 ->
                    neighbours.ownTask(call);
            case SHMGET -> segments.get(worker, call);
            case SHMAT -> segments.attach(worker, call);
            case SHMCTL -> segments.control(worker, call);
            case PTRACE, CLONE -> {
                Absent.TRACING.say(worker, tree, call.task());
                throw new Failed(Errno.EPERM);
            }
            case FCHDIR -> throw new Failed(Errno.ENOTDIR); // the gate is behind it
            default -> throw new Failed(Errno.ENOSYS);
        }
    }
}
