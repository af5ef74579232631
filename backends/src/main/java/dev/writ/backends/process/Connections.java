// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static dev.writ.kernel.FileCalls.S_IFMT;
import static dev.writ.kernel.FileCalls.S_IFSOCK;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.Host;
import dev.writ.core.capability.Scheme;
import dev.writ.kernel.Credentials;
import dev.writ.kernel.Errno;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Notifications.Notification;
import dev.writ.kernel.Pidfd;
import dev.writ.kernel.Sockets;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Optional;

/// connect(2), bind(2) and listen(2), done on the process's own socket with a copy of the address:
/// what is judged is what is used.
final class Connections {
    private static final int LONGEST_SOCKET_NAME = 107;
    private static final int TICK = 20; // milliseconds, as coarse as files know their birth
    private static final int SOL_SOCKET = 1;
    private static final int SO_TYPE = 3;
    private static final int SOCK_STREAM = 1;

    private final Worker worker;
    private final Walker walker;
    private final Judge judge;
    private final Tree tree;
    private final Usage usage;
    private final DatagramCalls datagrams;
    private final Inward inward;
    private final Accepting accepting;
    private final Optional<Outward> outward;

    Connections(
            Worker worker,
            Walker walker,
            Judge judge,
            Tree tree,
            Usage usage,
            DatagramCalls datagrams,
            Optional<WayOut> wayOut) {
        this.datagrams = datagrams;
        this.inward = new Inward(worker, judge, tree);
        this.accepting = new Accepting(judge, tree);
        this.outward = wayOut.map(out -> new Outward(worker, judge, out));
        this.worker = worker;
        this.walker = walker;
        this.judge = judge;
        this.tree = tree;
        this.usage = usage;
    }

    void connect(Notification call) {
        byte[] address = address(call);
        int socket = socket(call);
        switch (Endpoint.family(address)) {
            case Sockets.AF_UNIX -> {
                // ORDER: before it is judged, which is written down, and once.
                requirePatience(); // whether it waits can be changed until it does
                finish(call, socket, namedSocket(call, address));
            }
            case Sockets.AF_INET, Sockets.AF_INET6 -> connectInternet(call, socket, address);
            case Sockets.AF_UNSPEC -> {
                var datagram = datagrams.find(socket);
                if (datagram.isEmpty()) {
                    throw new Failed(Errno.EACCES); // a connection is ended by closing it
                }
                datagrams.connect(call, datagram.get(), address);
            }
            default -> throw new Failed(Errno.EACCES);
        }
    }

    private void connectInternet(Notification call, int socket, byte[] address) {
        var datagram = datagrams.find(socket);
        if (datagram.isPresent()) {
            datagrams.connect(call, datagram.get(), address);
            return;
        }
        requireTime(socket);
        var to = Endpoint.of(address);
        if (inward.connects(call, socket, to, Endpoint.family(address))) {
            return;
        }
        if (outward.isPresent()) {
            outward.get().connect(call, socket, to);
        } else {
            requireReachable(to);
            finish(call, socket, address);
        }
    }

    private void finish(Notification call, int socket, byte[] to) {
        worker.answer(call, new Connecting(worker, call).to(socket, to));
    }

    /// A socket that waits for its connection needs somebody who can wait.
    private void requireTime(int socket) {
        if ((worker.files.flags(socket) & FileCalls.O_NONBLOCK) == 0) {
            requirePatience();
        }
    }

    private void requirePatience() {
        if (!worker.patient) {
            throw new NotNow();
        }
    }

    /// The address of the socket file itself, not of a name that might lead elsewhere by now.
    private byte[] namedSocket(Notification call, byte[] address) {
        byte[] name = socketName(call, address);
        var found = walker.find(call.task(), FileCalls.AT_FDCWD, name, true);
        if (!Places.isNamed(found.place(), 1)) {
            throw new Failed(Errno.EACCES);
        }
        var path = judge.path(found.place());
        boolean own = isOwnSocket(found.handle());
        if (judge.isOwn(path) && !own) {
            throw new Failed(Errno.EACCES);
        }
        judge.require(worker, own ? judge.connectOwn(path) : new Action.ConnectSocket(path));
        return unixAddress(Walker.bytes("/proc/self/fd/" + found.handle()));
    }

    private boolean isOwnSocket(int handle) {
        return worker.files.look(handle) == 0 && tree.sockets.contains(worker.files, tree.session);
    }

    /// Without a way out only this machine can be reached, and only where a rule names the address.
    private void requireReachable(Endpoint to) {
        judge.require(worker, new Action.Connect(Scheme.TCP, new Host.Literal(to.ip()), to.port()));
        if (!to.isThisMachine()) {
            throw new Failed(Errno.EACCES);
        }
    }

    void bind(Notification call) {
        byte[] address = address(call);
        switch (Endpoint.family(address)) {
            case Sockets.AF_UNIX -> bindNamed(call, address);
            case Sockets.AF_INET, Sockets.AF_INET6, Sockets.AF_NETLINK -> {
                int socket = socket(call);
                var datagram = datagrams.find(socket);
                if (datagram.isPresent()) {
                    datagrams.bind(call, datagram.get(), address);
                    return;
                }
                if (Endpoint.family(address) == Sockets.AF_NETLINK) {
                    throw new Failed(Errno.EINVAL);
                }
                bindInternet(call, socket, address);
            }
            default -> throw new Failed(Errno.EACCES);
        }
    }

    /// A port that the kernel picks is nobody's yet, and leads nowhere until somebody listens, who
    /// is judged by the name that the socket has then. Some only look whether they could.
    private void bindInternet(Notification call, int socket, byte[] address) {
        var wanted = Endpoint.of(address);
        var at = narrowed(socket, wanted);
        boolean looks = at.port() == 0 && isStream(socket) && !accepting.isPossible(at);
        if (looks && outward.isPresent() && at.isWildcard()) {
            // What a socket has that is not bound, so that it can be led to the proxy.
            worker.answer(call, 0);
            return;
        }
        if (!looks || !at.isThisMachine()) {
            judge.require(worker, accepting.action(at));
        }
        worker.requireWaiting(call);
        byte[] to = at.equals(wanted) ? address : at.bytes(Endpoint.family(address));
        int bound = worker.sockets.bind(socket, to);
        if (bound == 0 && at.port() == 0 && !looks) {
            int picked = Endpoint.of(worker.sockets.name(socket)).port();
            tree.sockets.ports.pick(tree, picked);
        }
        worker.answer(call, bound);
    }

    /// Who wants to listen everywhere listens on this machine, if that is all that may be.
    private Endpoint narrowed(int socket, Endpoint wanted) {
        if (!wanted.isWildcard() || accepting.isPossible(wanted)) {
            return wanted;
        }
        boolean v6 = wanted.ip().isV6();
        var four = new Endpoint(Endpoint.LOOPBACK, wanted.port());
        var six = new Endpoint(Endpoint.LOOPBACK6, wanted.port());
        if (accepting.isPossible(four) && !(v6 && worker.sockets.isV6Only(socket))) {
            return four;
        }
        return v6 && accepting.isPossible(six) ? six : wanted;
    }

    private boolean isStream(int socket) {
        return worker.sockets.option(socket, SOL_SOCKET, SO_TYPE) == SOCK_STREAM;
    }

    private void bindNamed(Notification call, byte[] address) {
        byte[] name = socketName(call, address);
        var slot = walker.slot(call.task(), FileCalls.AT_FDCWD, name, Errno.EINVAL);
        judge.require(worker, new Action.WriteFile(slot.path()));
        int socket = socket(call);
        worker.requireWaiting(call);
        if (slot.name().length > LONGEST_SOCKET_NAME) {
            throw new Failed(Errno.ENAMETOOLONG);
        }
        Credentials.umask(worker.kernel, Tasks.umask(worker, call.task()));
        // A relative name, in the folder that was judged.
        int entered = worker.files.enter(slot.folder());
        if (entered < 0) {
            throw new Failed(-entered);
        }
        int bound = bindHere(socket, slot.name(), name);
        if (bound == 0) {
            usage.takeRoom(Usage.NEW_FILE);
        }
        worker.answer(call, bound);
    }

    /// Binds `socket` to `name` in the folder where this thread is.
    ///
    /// @param called what the program calls it
    private int bindHere(int socket, byte[] name, byte[] called) {
        var files = worker.files;
        if (files.lookAtItself(name) == 0) {
            return -Errno.EADDRINUSE; // while the socket can still be bound to something else
        }
        byte[] fresh = OwnSockets.freshName();
        long before = InstantSource.system().millis() - TICK;
        int bound = worker.sockets.bind(socket, unixAddress(fresh));
        if (bound < 0) {
            return bound;
        }
        // ORDER: it is held before it gets the name that was judged. What has the fresh name by
        // then may have been exchanged, and does not get it.
        int handle = files.find(FileCalls.AT_FDCWD, fresh, false, FileCalls.RESOLVE_NO_SYMLINKS);
        boolean socketFile = files.look(handle) == 0 && (files.mode() & S_IFMT) == S_IFSOCK;
        // Somebody may have put one there that others made before. Not all disks know when.
        boolean isNew = socketFile && files.born() / 1_000_000 >= before;
        boolean isOld = !isNew && files.born() != 0;
        int named =
                socketFile && !isOld ? files.link(handle, FileCalls.AT_FDCWD, name) : -Errno.EACCES;
        files.remove(FileCalls.AT_FDCWD, fresh, 0);
        if (named < 0) {
            files.close(handle);
            return named == -Errno.EEXIST ? -Errno.EADDRINUSE : named;
        }
        tree.sockets.add(files, handle, tree, fresh, called, isNew);
        return bound;
    }

    /// getsockname(2)
    void name(Notification call) {
        if (!putOwnName(call, worker.sockets.name(socket(call)))) {
            datagrams.name(call);
        }
    }

    /// getpeername(2)
    void peer(Notification call) {
        if (!putOwnName(call, worker.sockets.peer(socket(call)))) {
            datagrams.peer(call);
        }
    }

    /// Says what the program called the socket that is bound to `address`, if it did.
    private boolean putOwnName(Notification call, byte[] address) {
        if (address.length <= 2 || Endpoint.family(address) != Sockets.AF_UNIX) {
            return false;
        }
        var name = tree.sockets.name(path(address));
        name.ifPresent(
                called -> {
                    worker.requireWaiting(call);
                    datagrams.putName(call, 1, unixAddress(called));
                    worker.answer(call, 0);
                });
        return name.isPresent();
    }

    /// A socket that is not bound would be bound by this to any address and any port. It may even
    /// say that it has a port: the one that a connection had which failed. In the same way one of
    /// AF_UNIX comes to a name that is no path, which nobody has judged.
    void listen(Notification call) {
        int socket = socket(call);
        byte[] name = worker.sockets.name(socket);
        boolean inet = name.length > 2 && Endpoint.family(name) != Sockets.AF_UNIX;
        if (name.length < 2
                || (inet ? !mayAccept(Endpoint.of(name)) : name.length > 2 && name[2] == 0)) {
            throw new Failed(Errno.EACCES);
        }
        worker.requireWaiting(call);
        int backlog = (int) call.argument(1);
        worker.answer(
                call,
                inet
                        ? listenAt(call, socket, name, backlog)
                        : worker.sockets.listen(socket, backlog));
    }

    /// Listens with `socket` at `name`, where it was judged.
    private int listenAt(Notification call, int socket, byte[] name, int backlog) {
        // Does nothing to a socket that is bound, and binds any other where it was judged.
        worker.sockets.bind(socket, name);
        // ORDER: before others of the session find it.
        tree.sockets.ports.put(listener(call, socket));
        int result = worker.sockets.listen(socket, backlog);
        // One that was about to be connected had its name for as long as that lasted: who ends it
        // in this moment would listen on any port of any address.
        if (result == 0 && !Arrays.equals(worker.sockets.name(socket), name)) {
            worker.sockets.shutdown(socket);
            throw new Failed(Errno.EACCES);
        }
        return result;
    }

    private OwnPorts.Listener listener(Notification call, int socket) {
        return new OwnPorts.Listener(
                tree,
                Endpoint.of(worker.sockets.name(socket)).port(),
                worker.sockets.cookie(socket),
                Tasks.process(worker, call.task()),
                (int) call.argument(0));
    }

    /// Port 0 stands for one that the kernel picks, also in a rule.
    private boolean mayAccept(Endpoint at) {
        var picked = new Endpoint(at.ip(), 0);
        return judge.permits(worker, accepting.action(accepting.isPossible(at) ? at : picked));
    }

    private int socket(Notification call) {
        return worker.keep(Pidfd.descriptor(worker.kernel, call.task(), (int) call.argument(0)));
    }

    private byte[] address(Notification call) {
        long length = call.argument(2);
        if (length < 2 || length > Sockets.LONGEST) {
            throw new Failed(Errno.EINVAL);
        }
        return worker.bytes(call.task(), call.argument(1), (int) length);
    }

    /// The path in an address. A name that is no path, in a space that all processes of the machine
    /// share, is refused.
    private byte[] socketName(Notification call, byte[] address) {
        byte[] path = path(address);
        if (path.length == 0) {
            Absent.ABSTRACT_NAMES.say(worker, tree, call.task());
            throw new Failed(Errno.EACCES);
        }
        return path;
    }

    private static byte[] path(byte[] address) {
        int end = 2;
        while (end < address.length && address[end] != 0) {
            end++;
        }
        return Arrays.copyOfRange(address, 2, end);
    }

    private static byte[] unixAddress(byte[] name) {
        byte[] address = new byte[2 + name.length + 1];
        ByteBuffer.wrap(address)
                .order(ByteOrder.nativeOrder())
                .putShort((short) Sockets.AF_UNIX)
                .put(name);
        return address;
    }
}
