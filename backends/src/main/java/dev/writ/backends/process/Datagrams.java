// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.broker.Verdict;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.Scheme;
import dev.writ.core.sandbox.Proxy;
import dev.writ.kernel.Errno;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.Poll;
import dev.writ.kernel.Sockets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/// What seem to be datagram sockets inside a sandbox. There are none: each is one end of a
/// connection within this machine, and the other end is here. Whatever is sent on it, by whatever
/// call and to whatever address, arrives here. Questions for names are answered; the rest goes
/// further only where the broker permits it, through a socket of ours.
final class Datagrams implements AutoCloseable {
    private static final int MOST = 256;
    private static final int MOST_WAYS = 256;
    private static final int AT_A_TIME = 64;
    private static final int GLANCE = 1000; // milliseconds
    private static final int LONGEST_CLOSE = 2; // seconds
    private static final byte[] NUDGE = {1};

    /// The ports to pick from, as the kernel does.
    private static final int FIRST_PICKED = 32_768;

    private static final int LAST_PICKED = 60_999;

    private final Proxy proxy;
    private final Judge judge;
    private final Map<Long, Datagram> byInode = new ConcurrentHashMap<>();
    private final AtomicInteger ways = new AtomicInteger();

    /// Two ends: what is written to one wakes who waits at the other. None before the first socket.
    private int bell = -1;

    private int ear = -1;
    private int picked = LAST_PICKED;
    private boolean closed;
    private CompletableFuture<Boolean> served = CompletableFuture.completedFuture(true);

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
        nudge(worker.sockets);
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
            served = Host.call("writ-datagrams", () -> serve(listened));
        }
        return true;
    }

    private synchronized void nudge(Sockets sockets) {
        if (!closed) {
            sockets.send(bell, NUDGE);
        }
    }

    /// What a datagram to `to` does. On the port of names it is a question for us, unless a rule
    /// names who is asked.
    Action.Connect action(Endpoint to) {
        return new Action.Connect(Scheme.UDP, proxy.meant(to.ip()), to.port());
    }

    /// Binds `datagram` to `wanted`; with port 0, to one that is free. Nothing outside of the
    /// sandbox has to do with these ports.
    ///
    /// @throws Failed if another one is bound there
    synchronized void bind(Datagram datagram, Endpoint wanted, Poll poll) {
        var name = wanted;
        if (wanted.port() == 0) {
            do {
                picked = picked == LAST_PICKED ? FIRST_PICKED : picked + 1;
                name = new Endpoint(wanted.ip(), picked);
            } while (isTaken(datagram.family, name, poll)); // there are far fewer than ports
        } else if (isTaken(datagram.family, name, poll)) {
            throw new Failed(Errno.EADDRINUSE);
        }
        datagram.bound = name;
    }

    private boolean isTaken(int family, Endpoint name, Poll poll) {
        for (var other : byInode.values()) {
            if (other.family == family && other.keeps(name)) {
                if (!other.isGone(poll)) {
                    return true;
                }
                other.bound = null; // who closes a socket may bind another one at once
            }
        }
        return false;
    }

    /// The one of this sandbox at `to`: as with a pipe, what is said to it is the sandbox's own
    /// matter, unless a rule speaks of where it is.
    Optional<Datagram> own(Endpoint to) {
        var there = to.orLoopback();
        return there.isThisMachine()
                ? byInode.values().stream()
                        .filter(d -> d.isAt(there) && judge.isUnmatched(action(there)))
                        .min(Comparator.comparingInt(d -> d.family)) // IPv4 before both
                : Optional.empty();
    }

    boolean isQuestion(Endpoint to) {
        return to.port() == WayOut.NAMES && !judge.isPossible(action(to));
    }

    /// The answer to a question for a name, if it is one.
    Optional<byte[]> answer(byte[] question) {
        try {
            return proxy.answer(question);
        } catch (RuntimeException e) {
            return Optional.empty();
        }
    }

    /// Opens the way to `to`, which was permitted. Called on a thread of the host; waits until the
    /// name is resolved.
    Optional<UdpWay> open(Datagram from, Endpoint to) {
        if (ways.incrementAndGet() > MOST_WAYS) {
            ways.decrementAndGet();
            return Optional.empty();
        }
        var action = action(to);
        try (var kernel = new Kernel()) {
            var opened =
                    proxy.datagrams(action.host(), action.port())
                            .flatMap(way -> UdpWay.open(kernel, to, way));
            if (opened.isPresent() && from.add(opened.get())) {
                nudge(new Sockets(kernel));
                return opened;
            }
            opened.ifPresent(way -> way.close(new FileCalls(kernel)));
        }
        ways.decrementAndGet();
        return Optional.ofNullable(from.way(to));
    }

    private boolean serve(int end) {
        try (var kernel = new Kernel()) {
            var round = new Round(kernel);
            while (!isClosed()) {
                round.next(end);
            }
            byInode.keySet().forEach(round::remove);
            round.files.close(end);
        }
        return true;
    }

    /// Serves all who have something to say.
    private final class Round {
        private final Sockets sockets;
        private final FileCalls files;
        private final Poll poll;

        Round(Kernel kernel) {
            sockets = new Sockets(kernel);
            files = new FileCalls(kernel);
            poll = new Poll(kernel, 1 + MOST + MOST_WAYS);
        }

        private record Back(Datagram datagram, UdpWay way) {}

        void next(int end) {
            var descriptors = new ArrayList<Integer>(List.of(end));
            var speakers = new ArrayList<Map.Entry<Long, Datagram>>();
            var backs = new ArrayList<Back>();
            for (var entry : byInode.entrySet()) {
                if (!entry.getValue().waits) {
                    speakers.add(entry);
                    descriptors.add(entry.getValue().ours);
                }
                entry.getValue().ways().forEach(way -> backs.add(new Back(entry.getValue(), way)));
            }
            backs.forEach(back -> descriptors.add(back.way().socket()));
            poll.await(
                    descriptors.stream().mapToInt(Integer::intValue).toArray(),
                    backs.isEmpty() ? -1 : GLANCE);
            if (poll.isReady(0)) {
                sockets.receive(end, 1, 0);
            }
            for (int i = 0; i < speakers.size(); i++) {
                if (poll.isReady(1 + i) && !goesOn(speakers.get(i).getValue())) {
                    remove(speakers.get(i).getKey());
                }
            }
            for (int i = 0; i < backs.size(); i++) {
                if (poll.isReady(1 + speakers.size() + i)) {
                    comeBack(backs.get(i));
                } else if (backs.get(i).way().isIdle()) {
                    forget(backs.get(i));
                }
            }
        }

        private void comeBack(Back back) {
            for (int i = 0; i < AT_A_TIME; i++) {
                if (!back.way().receive(sockets, back.datagram())) {
                    return;
                }
            }
        }

        private void forget(Back back) {
            back.datagram().remove(back.way());
            back.way().close(files);
            ways.decrementAndGet();
        }

        private void remove(long inode) {
            var datagram = byInode.remove(inode);
            if (datagram != null) {
                ways.addAndGet(-datagram.close(files));
            }
        }

        /// Serves one message. If this says that it does not go on, the process finds its
        /// connection reset, as it would if nobody were there.
        private boolean goesOn(Datagram datagram) {
            var to = datagram.connected;
            boolean question = to == null || isQuestion(to);
            var way = to == null ? null : datagram.way(to);
            var own = to == null || question ? Optional.<Datagram>empty() : own(to);
            if (to != null && way == null && own.isEmpty() && !question) {
                return findWay(datagram, to);
            }
            int length = sockets.receive(datagram.ours, Sockets.LONGEST_MESSAGE, 0);
            if (length == -Errno.EAGAIN) {
                return true;
            }
            if (length <= 0) {
                return false; // the other end is closed, or nothing was said
            }
            byte[] message = sockets.received(length);
            if (to != null && own.isPresent()) {
                own.get().deliver(sockets, datagram.origin(to), message);
            } else if (way != null) {
                way.send(sockets, message);
            } else {
                var from = to == null ? Endpoint.nowhere(WayOut.NAMES) : to;
                answer(message).ifPresent(answer -> datagram.deliver(sockets, from, answer));
            }
            return true;
        }

        /// The message stays where it is until it is known whether it may go on.
        private boolean findWay(Datagram datagram, Endpoint to) {
            int length = sockets.receive(datagram.ours, 1, Sockets.MSG_PEEK);
            if (length <= 0 || to.equals(datagram.refused)) {
                return length == -Errno.EAGAIN;
            }
            datagram.waits = true;
            var _ = Host.call("writ-datagrams-judge", () -> judgeFor(datagram, to));
            return true;
        }
    }

    private boolean judgeFor(Datagram datagram, Endpoint to) {
        boolean opened = false;
        try {
            opened =
                    judge.judge(action(to)) instanceof Verdict.Permitted
                            && open(datagram, to).isPresent();
        } finally {
            datagram.refused = opened ? null : to;
            datagram.waits = false;
            try (var kernel = new Kernel()) {
                nudge(new Sockets(kernel));
            }
        }
        return opened;
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /// Waits a while until what has passed is written down.
    @Override
    public void close() {
        CompletableFuture<Boolean> last;
        synchronized (this) {
            if (!closed && bell >= 0) {
                try (var kernel = new Kernel()) {
                    new FileCalls(kernel).close(bell); // which the other end hears
                }
            }
            closed = true;
            last = served;
        }
        try {
            // Not by a time-out of the future itself: for that the JVM starts a thread that all of
            // it shares, and from here it would have no rights.
            last.get(LONGEST_CLOSE, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // It ends with the process.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
