// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static dev.writ.kernel.FileCalls.O_CLOEXEC;
import static dev.writ.kernel.FileCalls.O_NONBLOCK;

import dev.writ.backends.process.Datagrams.Datagram;
import dev.writ.core.capability.Address;
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
    private static final int SOCK_DGRAM = 2;
    private static final int IPPROTO_UDP = 17;
    private static final int GLANCE = 50; // milliseconds
    private static final Address LOOPBACK = new Address(false, 0, 0x7f000001);
    private static final Address LOOPBACK6 = new Address(true, 0, 1);
    private static final int SOME_PORT = 40_000;

    private final Worker worker;
    private final Optional<Datagrams> datagrams;

    DatagramCalls(Worker worker, Optional<WayOut> wayOut) {
        this.worker = worker;
        this.datagrams = wayOut.map(out -> out.datagrams);
    }

    /// socket(2) for what the kernel does not make in a sandbox.
    void make(Notification call) {
        int family = (int) call.argument(0);
        int type = (int) call.argument(1);
        int protocol = (int) call.argument(2);
        boolean inet = family == Sockets.AF_INET || family == Sockets.AF_INET6;
        if (datagrams.isEmpty()
                || !inet
                || (type & SOCK_TYPE_MASK) != SOCK_DGRAM
                || (protocol != 0 && protocol != IPPROTO_UDP)) {
            throw new Failed(Errno.EACCES);
        }
        int made = datagrams.get().make(worker, family);
        if ((type & O_NONBLOCK) != 0) {
            worker.files.setFlags(made, O_NONBLOCK);
        }
        worker.notifications.give(call.id(), made, (type & O_CLOEXEC) != 0);
    }

    /// What `socket`, a copy of one of theirs, stands for.
    Optional<Datagram> find(int socket) {
        return datagrams
                .filter(some -> !some.isEmpty() && worker.files.look(socket) == 0)
                .flatMap(some -> some.find(worker.files.inode()));
    }

    private int socket(Notification call) {
        return worker.keep(Pidfd.descriptor(worker.kernel, call.task(), (int) call.argument(0)));
    }

    /// What the first argument stands for. Nothing else is harmed if the kernel goes on.
    private Optional<Datagram> ofCall(Notification call) {
        return datagrams.isEmpty() || datagrams.get().isEmpty()
                ? Optional.empty()
                : find(socket(call));
    }

    /// Nothing is sent by this. Some connect such a socket only to learn about addresses.
    void connect(Notification call, Datagram datagram, byte[] address) {
        boolean inet = Endpoint.family(address) == datagram.family;
        datagram.peer = inet ? Endpoint.of(address) : null;
        worker.answer(call, 0);
    }

    /// Nobody will ever send anything there, so only those who do not wait for it are served.
    void bind(Notification call, Datagram datagram, byte[] address) {
        var wanted = Endpoint.of(address);
        if (Endpoint.family(address) != datagram.family || wanted.port() != 0) {
            throw new Failed(Errno.EACCES);
        }
        datagram.bound = wanted;
        worker.answer(call, 0);
    }

    /// sendto(2) with an address. On a socket with a connection it would be a way around connect.
    void send(Notification call) {
        int socket = socket(call);
        var datagram = find(socket).orElseThrow(() -> new Failed(Errno.EACCES));
        byte[] address = bytes(call, 4, call.argument(5), Sockets.LONGEST);
        if (address.length < 2 || Endpoint.family(address) != datagram.family) {
            throw new Failed(Errno.EINVAL);
        }
        var to = Endpoint.of(address);
        if (to.port() != WayOut.NAMES) {
            datagrams.ifPresent(some -> some.refuse(to));
            throw new Failed(Errno.EACCES);
        }
        byte[] message = bytes(call, 1, call.argument(2), Sockets.LONGEST_MESSAGE);
        worker.requireWaiting(call);
        datagram.peer = to;
        worker.answer(call, worker.sockets.send(socket, message));
    }

    /// Copied once.
    private byte[] bytes(Notification call, int pointer, long length, int most) {
        if (length < 0 || length > most) {
            throw new Failed(Errno.EMSGSIZE);
        }
        byte[] bytes = worker.memory.bytes(call.task(), call.argument(pointer), (int) length);
        if (bytes == null) {
            throw new Failed(Errno.EFAULT);
        }
        return bytes;
    }

    /// recvfrom(2) of one who wants to know the sender: that is whom it has asked.
    void receive(Notification call) {
        int socket = socket(call);
        var datagram = find(socket);
        if (datagram.isEmpty()) {
            worker.notifications.letPass(call.id());
            return;
        }
        int most = Math.clamp(call.argument(2), 0, Sockets.LONGEST_MESSAGE);
        int length = receive(call, socket, most, (int) call.argument(3));
        if (length < 0) {
            throw new Failed(-length);
        }
        byte[] message = worker.sockets.received(Math.min(length, most));
        worker.requireWaiting(call);
        if (!worker.memory.put(call.task(), call.argument(1), message)) {
            throw new Failed(Errno.EFAULT);
        }
        var from = datagram.get().peer;
        putName(call, 4, from == null ? nowhere(WayOut.NAMES) : from, datagram.get().family);
        worker.answer(call, length);
    }

    private int receive(Notification call, int socket, int most, int flags) {
        int wanted = flags & (Sockets.MSG_PEEK | Sockets.MSG_TRUNC);
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
        while (length == -Errno.EAGAIN) {
            worker.requireWaiting(call);
            poll.await(new int[] {socket}, GLANCE);
            length = worker.sockets.receive(socket, most, wanted);
        }
        return length;
    }

    private static Endpoint nowhere(int port) {
        return new Endpoint(new Address(false, 0, 0), port);
    }

    void name(Notification call) {
        var datagram = ofCall(call);
        if (datagram.isEmpty()) {
            worker.notifications.letPass(call.id());
            return;
        }
        var peer = datagram.get().peer;
        var bound = datagram.get().bound;
        boolean named = peer != null || bound != null;
        var loopback = peer != null && peer.ip().isV6() ? LOOPBACK6 : LOOPBACK;
        var name = named ? new Endpoint(loopback, SOME_PORT) : nowhere(0);
        worker.requireWaiting(call);
        putName(call, 1, name, datagram.get().family);
        worker.answer(call, 0);
    }

    void peer(Notification call) {
        var datagram = ofCall(call);
        if (datagram.isEmpty()) {
            worker.notifications.letPass(call.id());
            return;
        }
        var peer = datagram.get().peer;
        if (peer == null) {
            throw new Failed(Errno.ENOTCONN);
        }
        worker.requireWaiting(call);
        putName(call, 1, peer, datagram.get().family);
        worker.answer(call, 0);
    }

    /// Puts an address where the argument at `pointer` wants it; how much room there is, and how
    /// much was needed, stands where the next one says.
    private void putName(Notification call, int pointer, Endpoint name, int family) {
        byte[] size = bytes(call, pointer + 1, Integer.BYTES, Integer.BYTES);
        int room = ByteBuffer.wrap(size).order(ByteOrder.nativeOrder()).getInt();
        byte[] bytes = name.bytes(family);
        if (room < 0) {
            throw new Failed(Errno.EINVAL);
        }
        byte[] fitting = Arrays.copyOf(bytes, Math.min(room, bytes.length));
        ByteBuffer.wrap(size).order(ByteOrder.nativeOrder()).putInt(bytes.length);
        if (!worker.memory.put(call.task(), call.argument(pointer), fitting)
                || !worker.memory.put(call.task(), call.argument(pointer + 1), size)) {
            throw new Failed(Errno.EFAULT);
        }
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
