// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.Scheme;
import dev.writ.core.sandbox.Proxy;
import dev.writ.kernel.Errno;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.Poll;
import dev.writ.kernel.Sockets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// What seem to be datagram sockets inside a sandbox. There are none: each is one end of a
/// connection within this machine, and the other end is here. Whatever is sent on it, by whatever
/// call and to whatever address, arrives here and goes no further. Questions for names are
/// answered.
final class Datagrams implements AutoCloseable {
    private static final int MOST = 256;
    private static final byte[] NUDGE = {1};

    private final Proxy proxy;
    private final Judge judge;
    private final Map<Long, Datagram> byInode = new ConcurrentHashMap<>();

    /// Two ends: what is written to one wakes who waits at the other. None before the first socket.
    private int bell = -1;

    private int ear = -1;
    private boolean closed;

    /// One such socket.
    static final class Datagram {
        final int family;
        private final int ours;

        /// Where it was bound, connected, or sent to last.
        volatile @Nullable Endpoint bound;

        volatile @Nullable Endpoint peer;

        private Datagram(int family, int ours) {
            this.family = family;
            this.ours = ours;
        }
    }

    Datagrams(Proxy proxy, Judge judge) {
        this.proxy = proxy;
        this.judge = judge;
    }

    boolean isEmpty() {
        return byInode.isEmpty();
    }

    /// The one whose end in the sandbox is `inode`.
    Optional<Datagram> find(long inode) {
        return Optional.ofNullable(byInode.get(inode));
    }

    /// Makes one; its end for the sandbox.
    ///
    /// @throws Failed if there are too many
    synchronized int make(Worker worker, int family) {
        if (closed || byInode.size() >= MOST) {
            throw new Failed(Errno.ENOBUFS);
        }
        long pair = worker.sockets.pair(Sockets.SOCK_SEQPACKET);
        int theirs = worker.keep((int) pair);
        int ours = (int) (pair >>> 32);
        if (!startListening(worker) || worker.files.look(theirs) < 0) {
            worker.files.close(ours);
            throw new Failed(Errno.ENOBUFS);
        }
        byInode.put(worker.files.inode(), new Datagram(family, ours));
        worker.sockets.send(bell, NUDGE);
        return theirs;
    }

    private boolean startListening(Worker worker) {
        if (bell < 0) {
            long pair = worker.sockets.pair(Sockets.SOCK_SEQPACKET);
            if (pair < 0) {
                return false;
            }
            bell = (int) pair;
            ear = (int) (pair >>> 32);
            int listened = ear;
            var _ = Host.call("writ-datagrams", () -> serve(listened));
        }
        return true;
    }

    private boolean serve(int end) {
        try (var kernel = new Kernel()) {
            var sockets = new Sockets(kernel);
            var files = new FileCalls(kernel);
            var poll = new Poll(kernel, MOST + 1);
            while (!isClosed()) {
                var all = List.copyOf(byInode.entrySet());
                poll.await(descriptors(end, all), -1);
                if (poll.isReady(0)) {
                    sockets.receive(end, 1, 0);
                }
                for (int i = 0; i < all.size(); i++) {
                    if (poll.isReady(i + 1) && !goesOn(sockets, all.get(i).getValue())) {
                        byInode.remove(all.get(i).getKey());
                        files.close(all.get(i).getValue().ours);
                    }
                }
            }
            byInode.values().forEach(datagram -> files.close(datagram.ours));
            byInode.clear();
            files.close(end);
        }
        return true;
    }

    private static int[] descriptors(int end, List<Map.Entry<Long, Datagram>> all) {
        var descriptors = new ArrayList<Integer>(List.of(end));
        all.forEach(entry -> descriptors.add(entry.getValue().ours));
        return descriptors.stream().mapToInt(Integer::intValue).toArray();
    }

    /// Answers one message. If this says that it does not go on, the process finds its connection
    /// reset, as it would if nobody were there.
    private boolean goesOn(Sockets sockets, Datagram datagram) {
        var peer = datagram.peer;
        if (peer != null && peer.port() != WayOut.NAMES) {
            boolean sent = sockets.receive(datagram.ours, 1, Sockets.MSG_PEEK) > 0;
            if (sent) {
                refuse(peer);
            }
            return false;
        }
        int length = sockets.receive(datagram.ours, Sockets.LONGEST_MESSAGE, 0);
        if (length == -Errno.EAGAIN) {
            return true;
        }
        if (length > 0) {
            answer(sockets.received(length))
                    .ifPresent(answer -> sockets.send(datagram.ours, answer));
        }
        return length > 0; // the other end is closed, or nothing was asked
    }

    private Optional<byte[]> answer(byte[] question) {
        try {
            return proxy.answer(question);
        } catch (RuntimeException e) {
            return Optional.empty();
        }
    }

    /// Writes down that somebody wanted to send there.
    void refuse(Endpoint peer) {
        judge.refuse(new Action.Connect(Scheme.UDP, proxy.meant(peer.ip()), peer.port()));
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public synchronized void close() {
        if (!closed && bell >= 0) {
            try (var kernel = new Kernel()) {
                new FileCalls(kernel).close(bell); // which the other end hears
            }
        }
        closed = true;
    }
}
