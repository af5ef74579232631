// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static dev.writ.kernel.FileCalls.O_CLOEXEC;
import static dev.writ.kernel.FileCalls.O_NONBLOCK;

import dev.writ.kernel.Errno;
import dev.writ.kernel.Notifications.Notification;
import dev.writ.kernel.Pidfd;
import dev.writ.kernel.Poll;
import dev.writ.kernel.Sockets;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;

/// Calls that show a program whether it has a datagram socket. It is told so, where it has what
/// stands for one; any other socket is none of our business, and the kernel goes on.
final class DatagramCalls {
    private static final int SOCK_TYPE_MASK = 0xf;
    private static final int IPPROTO_UDP = 17;
    private static final int MSG_ERRQUEUE = 0x2000;
    private static final int MSG_FASTOPEN = 0x20000000;
    private static final int GLANCE = 50; // milliseconds
    private static final int FIRST_FOR_ALL = 1024;

    private final Worker worker;
    private final Judge judge;
    private final Tree tree;
    private final NetlinkSockets netlink;
    private final Optional<Datagrams> datagrams;
    private final Poll glance;

    DatagramCalls(
            Worker worker,
            Judge judge,
            Tree tree,
            NetlinkSockets netlink,
            Optional<WayOut> wayOut) {
        this.worker = worker;
        this.judge = judge;
        this.tree = tree;
        this.netlink = netlink;
        this.datagrams = wayOut.map(out -> out.datagrams);
        this.glance = new Poll(worker.kernel, 1);
    }

    /// socket(2) for what the kernel does not make in a sandbox.
    void make(Notification call) {
        int family = (int) call.argument(0);
        int type = (int) call.argument(1);
        int protocol = (int) call.argument(2);
        boolean closeOnExec = (type & O_CLOEXEC) != 0;
        if (family == Sockets.AF_NETLINK) {
            int made = made(netlink.make(worker), type);
            if (!give(call, made, closeOnExec, Surface.FIRST_NETLINK, Surface.LAST_NETLINK)) {
                throw new Failed(Errno.EAFNOSUPPORT); // nobody would answer
            }
            return;
        }
        if (family == Sockets.AF_UNIX && (type & SOCK_TYPE_MASK) == Sockets.SOCK_DGRAM) {
            Absent.UNIX_DATAGRAMS.say(worker, tree, call.task());
        }
        boolean inet = family == Sockets.AF_INET || family == Sockets.AF_INET6;
        if (datagrams.isEmpty()
                || !inet
                || (type & SOCK_TYPE_MASK) != Sockets.SOCK_DGRAM
                || (protocol != 0 && protocol != IPPROTO_UDP)) {
            throw new Failed(Errno.EACCES);
        }
        int made = made(datagrams.get().make(worker, family), type);
        if (!give(call, made, closeOnExec, Surface.FIRST_DATAGRAM, Surface.LAST_DATAGRAM)) {
            worker.notifications.give(call.id(), made, closeOnExec); // will do for most programs
        }
    }

    private int made(int socket, int type) {
        if ((type & O_NONBLOCK) != 0) {
            worker.files.setFlags(socket, O_NONBLOCK);
        }
        return socket;
    }

    /// socketpair(2) for datagrams. With an address, such a socket could send to any other of the
    /// machine; the ends of this one keep messages apart as well, and lead to each other only.
    void pair(Notification call) {
        int protocol = (int) call.argument(2);
        if (protocol != 0 && protocol != Sockets.AF_UNIX) {
            throw new Failed(Errno.EPROTONOSUPPORT);
        }
        int flags = (int) call.argument(1);
        boolean closeOnExec = (flags & O_CLOEXEC) != 0;
        long pair = worker.sockets.pair(Sockets.SOCK_SEQPACKET | (flags & O_NONBLOCK));
        int one = worker.keep((int) pair);
        int other = worker.keep((int) (pair >>> 32));
        int first = worker.notifications.giveWaiting(call.id(), one, closeOnExec);
        int second = worker.notifications.giveWaiting(call.id(), other, closeOnExec);
        if (first < 0 || second < 0) {
            throw new Failed(-Math.min(first, second));
        }
        byte[] numbers =
                ByteBuffer.allocate(2 * Integer.BYTES)
                        .order(ByteOrder.nativeOrder())
                        .putInt(first)
                        .putInt(second)
                        .array();
        worker.put(call.task(), call.argument(3), numbers);
        worker.answer(call, 0);
    }

    /// Hands it over under a number by which the filter knows it, from above so that nobody else
    /// has it; whether there is one.
    private boolean give(Notification call, int made, boolean closeOnExec, int first, int last) {
        for (int number = last; number >= first; number--) {
            int there = Pidfd.descriptor(worker.kernel, call.task(), number);
            if (there >= 0) {
                worker.files.close(there);
            } else if (there == -Errno.EBADF
                    && worker.notifications.giveAs(call.id(), made, closeOnExec, number) >= 0) {
                return true;
            } else {
                break;
            }
        }
        return false;
    }

    /// What `socket`, a copy of one of theirs, stands for.
    Optional<Datagram> find(int socket) {
        if (isNone() || worker.files.look(socket) < 0) {
            return Optional.empty();
        }
        long inode = worker.files.inode();
        return netlink.find(inode).or(() -> datagrams.flatMap(some -> some.find(inode)));
    }

    private boolean isNone() {
        return netlink.isEmpty() && (datagrams.isEmpty() || datagrams.get().isEmpty());
    }

    int socket(Notification call) {
        return worker.keep(Pidfd.descriptor(worker.kernel, call.task(), (int) call.argument(0)));
    }

    /// What the first argument stands for. Nothing else is harmed if the kernel goes on.
    private Optional<Datagram> ofCall(Notification call) {
        return isNone() ? Optional.empty() : find(socket(call));
    }

    /// Nothing is sent by this. Some connect such a socket only to learn about addresses.
    void connect(Notification call, Datagram datagram, byte[] address) {
        boolean inet = Endpoint.family(address) == datagram.family;
        datagram.connected = inet ? Endpoint.of(address).orLoopback() : null;
        if (inet) {
            use(datagram);
        }
        worker.answer(call, 0);
    }

    /// A port that others of the sandbox send to. Nobody else does who was not sent to before.
    void bind(Notification call, Datagram datagram, byte[] address) {
        if (datagram.isNetlink()) {
            worker.answer(call, 0);
            return;
        }
        var wanted = Endpoint.of(address);
        boolean isHere = wanted.isWildcard() || wanted.isThisMachine();
        if (Endpoint.family(address) != datagram.family
                || (wanted.port() != 0 && (!isHere || wanted.port() < FIRST_FOR_ALL))) {
            throw new Failed(Errno.EACCES);
        }
        if (datagram.bound != null) {
            throw new Failed(Errno.EINVAL);
        }
        datagrams.orElseThrow().bind(datagram, wanted, glance);
        worker.answer(call, 0);
    }

    /// sendto(2) with an address, or to nobody in particular on a number of netlink's. On a socket
    /// with a connection an address would be a way around connect.
    void send(Notification call) {
        var found = find(socket(call));
        boolean addressed = call.argument(4) != 0;
        boolean fast = ((int) call.argument(3) & MSG_FASTOPEN) != 0;
        if (!addressed && !fast && found.filter(Datagram::isNetlink).isEmpty()) {
            worker.notifications.letPass(call.id()); // registers say so, which nobody can change
            return;
        }
        var datagram = found.orElseThrow(() -> new Failed(Errno.EACCES));
        byte[] address =
                addressed ? bytes(call, 4, call.argument(5), Sockets.LONGEST) : new byte[0];
        byte[] message = bytes(call, 1, call.argument(2), Sockets.LONGEST_MESSAGE);
        worker.answer(call, send(call, datagram, address, message));
    }

    /// @return how much was sent, or the negated error
    /// @throws NotNow if it has to be found out whether it may be, and this worker cannot wait
    int send(Notification call, Datagram datagram, byte[] address, byte[] message) {
        if (datagram.isNetlink()) {
            byte[] said = Netlink.answer(message);
            worker.requireWaiting(call);
            if (said.length > 0) {
                worker.sockets.send(datagram.ours, said);
            }
            return message.length;
        }
        if (address.length < 2 || Endpoint.family(address) != datagram.family) {
            throw new Failed(Errno.EINVAL);
        }
        var to = Endpoint.of(address);
        var all = datagrams.orElseThrow();
        if (all.isQuestion(to)) {
            worker.requireWaiting(call);
            use(datagram);
            all.answer(message).ifPresent(a -> datagram.deliver(worker.sockets, to, a));
            return message.length;
        }
        var own = all.own(to);
        if (own.isPresent()) {
            worker.requireWaiting(call);
            use(datagram);
            own.get().deliver(worker.sockets, datagram.origin(to), message);
            return message.length;
        }
        var way = datagram.way(to);
        if (way == null) {
            way = open(datagram, to);
        }
        worker.requireWaiting(call);
        use(datagram);
        return way.send(worker.sockets, message);
    }

    private void use(Datagram datagram) {
        if (datagram.bound == null) {
            datagrams.orElseThrow().bind(datagram, Endpoint.anywhere(datagram.family), glance);
        }
    }

    private UdpWay open(Datagram datagram, Endpoint to) {
        var all = datagrams.orElseThrow();
        var action = all.action(to);
        if (judge.isPossible(action) && !worker.patient) {
            throw new NotNow();
        }
        judge.require(worker, action);
        return Host.call("writ-datagrams-open", () -> all.open(datagram, to))
                .join()
                .orElseThrow(() -> new Failed(Errno.EHOSTUNREACH));
    }

    /// Copied once.
    private byte[] bytes(Notification call, int pointer, long length, int most) {
        if (length < 0 || length > most) {
            throw new Failed(Errno.EMSGSIZE);
        }
        return worker.bytes(call.task(), call.argument(pointer), (int) length);
    }

    /// recvfrom(2) of one who wants to know the sender.
    void receive(Notification call) {
        int socket = socket(call);
        var datagram = find(socket);
        if (datagram.isEmpty()) {
            worker.notifications.letPass(call.id());
            return;
        }
        int most = Math.clamp(call.argument(2), 0, Sockets.LONGEST_MESSAGE);
        int flags = (int) call.argument(3);
        var received = receive(call, datagram.get(), socket, most, flags);
        worker.put(call.task(), call.argument(1), received.message());
        putName(call, 4, datagram.get().address(received.from()));
        worker.answer(call, received.answer(flags));
    }

    /// @param length of the whole message, of which `message` is as much as there was room for
    record Received(int length, byte[] message, Endpoint from) {
        boolean isCut() {
            return length > message.length;
        }

        /// What a call with these flags returns.
        int answer(int flags) {
            return (flags & Sockets.MSG_TRUNC) != 0 ? length : message.length;
        }
    }

    Received receive(Notification call, Datagram datagram, int socket, int most, int flags) {
        if ((flags & MSG_ERRQUEUE) != 0) {
            throw new Failed(Errno.EAGAIN); // there never is any
        }
        int length = length(call, socket, most, flags);
        if (length < 0) {
            throw new Failed(-length);
        }
        byte[] message = worker.sockets.received(Math.min(length, most));
        boolean taken = (flags & Sockets.MSG_PEEK) == 0;
        var from = datagram.sender(length, message, taken);
        worker.requireWaiting(call);
        return new Received(length, message, from == null ? Endpoint.nowhere(WayOut.NAMES) : from);
    }

    /// Takes a message, as soon as there is one; how long it is.
    private int length(Notification call, int socket, int most, int flags) {
        int wanted = (flags & Sockets.MSG_PEEK) | Sockets.MSG_TRUNC;
        int length = worker.sockets.receive(socket, most, wanted);
        boolean mayBlock =
                (flags & Sockets.MSG_DONTWAIT) == 0
                        && (worker.files.flags(socket) & O_NONBLOCK) == 0;
        if (length != -Errno.EAGAIN || !mayBlock) {
            return length;
        }
        if (!worker.patient) {
            throw new NotNow();
        }
        var poll = new Poll(worker.kernel, 1);
        long patience = worker.sockets.patience(socket);
        long began = System.nanoTime();
        while (length == -Errno.EAGAIN) {
            worker.requireUndisturbed(call);
            if (patience > 0 && System.nanoTime() - began > patience * 1_000_000) {
                return length;
            }
            poll.await(new int[] {socket}, GLANCE);
            length = worker.sockets.receive(socket, most, wanted);
        }
        return length;
    }

    void name(Notification call) {
        var datagram = ofCall(call);
        if (datagram.isEmpty()) {
            worker.notifications.letPass(call.id());
            return;
        }
        var peer = datagram.get().connected;
        var bound = datagram.get().bound;
        var unbound = Endpoint.anywhere(datagram.get().family);
        var name = bound == null ? unbound : peer == null ? bound : datagram.get().origin(peer);
        worker.requireWaiting(call);
        putName(call, 1, datagram.get().address(name));
        worker.answer(call, 0);
    }

    void peer(Notification call) {
        var datagram = ofCall(call);
        if (datagram.isEmpty()) {
            worker.notifications.letPass(call.id());
            return;
        }
        var peer = datagram.get().connected;
        if (peer == null) {
            throw new Failed(Errno.ENOTCONN);
        }
        worker.requireWaiting(call);
        putName(call, 1, datagram.get().address(peer));
        worker.answer(call, 0);
    }

    /// Puts an address where the argument at `pointer` wants it; how much room there is, and how
    /// much was needed, stands where the next one says.
    void putName(Notification call, int pointer, byte[] bytes) {
        byte[] size = bytes(call, pointer + 1, Integer.BYTES, Integer.BYTES);
        int room = ByteBuffer.wrap(size).order(ByteOrder.nativeOrder()).getInt();
        if (room < 0) {
            throw new Failed(Errno.EINVAL);
        }
        byte[] fitting = Arrays.copyOf(bytes, Math.min(room, bytes.length));
        ByteBuffer.wrap(size).order(ByteOrder.nativeOrder()).putInt(bytes.length);
        worker.put(call.task(), call.argument(pointer), fitting);
        worker.put(call.task(), call.argument(pointer + 1), size);
    }

    /// Options of IP mean nothing to what stands for a socket, and nobody can do without them.
    void option(Notification call) {
        if (ofCall(call).isPresent()) {
            worker.answer(call, 0);
        } else {
            worker.notifications.letPass(call.id());
        }
    }
}
