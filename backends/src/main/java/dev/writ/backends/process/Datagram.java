// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Poll;
import dev.writ.kernel.Sockets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What seems to be a datagram socket inside a sandbox: its other end, and where it has sent to.
final class Datagram {
    private static final int MOST_LETTERS = 512;
    private static final int BEGINNING = 64;

    final int family;
    final int ours;

    /// Where it was bound and connected. Its port exists in its sandbox only.
    volatile @Nullable Endpoint bound;

    volatile @Nullable Endpoint connected;

    /// Where its messages must not go, once somebody has found out.
    volatile @Nullable Endpoint refused;

    /// Whether somebody finds out where its messages may go. None is taken meanwhile.
    volatile boolean waits;

    private final Map<Endpoint, UdpWay> ways = new HashMap<>();
    private final Deque<Letter> letters = new ArrayDeque<>();
    private boolean closed;

    /// A message on its way into the sandbox, known by its length and its beginning.
    private record Letter(Endpoint from, int length, byte[] beginning) {
        boolean is(int otherLength, byte[] message) {
            int known = Math.min(beginning.length, message.length);
            return length == otherLength && Arrays.equals(beginning, 0, known, message, 0, known);
        }
    }

    Datagram(int family, int ours) {
        this.family = family;
        this.ours = ours;
    }

    boolean isNetlink() {
        return family == Sockets.AF_NETLINK;
    }

    /// Whether what is sent to `to` arrives here.
    boolean isAt(Endpoint to) {
        var at = bound;
        return at != null
                && at.port() == to.port()
                && (at.ip().equals(to.ip())
                        || (at.isWildcard() && (family == Sockets.AF_INET6 || !to.ip().isV6())));
    }

    /// Whether no other of this family can be bound to `name`.
    boolean keeps(Endpoint name) {
        var at = bound;
        return at != null
                && at.port() == name.port()
                && (at.ip().equals(name.ip()) || at.isWildcard() || name.isWildcard());
    }

    /// Who it is to whom it sends something at `to`.
    Endpoint origin(Endpoint to) {
        var at = bound == null ? Endpoint.anywhere(family) : bound;
        return at.isWildcard()
                ? new Endpoint(to.ip().isV6() ? Endpoint.LOOPBACK6 : Endpoint.LOOPBACK, at.port())
                : at;
    }

    /// Whether nobody in the sandbox has it any more.
    synchronized boolean isGone(Poll poll) {
        if (!closed) {
            poll.await(new int[] {ours}, 0);
        }
        return closed || poll.isAlone(0);
    }

    /// `name` as a program has it that uses such a socket.
    byte[] address(Endpoint name) {
        return isNetlink() ? Netlink.address() : name.bytes(family);
    }

    synchronized @Nullable UdpWay way(Endpoint to) {
        return ways.get(to);
    }

    synchronized List<UdpWay> ways() {
        return new ArrayList<>(ways.values());
    }

    /// Whether `way` is kept: not if there is one already, or this is closed.
    synchronized boolean add(UdpWay way) {
        return !closed && ways.putIfAbsent(way.to(), way) == null;
    }

    synchronized void remove(UdpWay way) {
        ways.remove(way.to(), way);
    }

    /// Hands a message over, if there is room for it: nobody waits for that.
    synchronized void deliver(Sockets sockets, Endpoint from, byte[] message) {
        var only = connected;
        if (closed || (only != null && !only.equals(from))) {
            return;
        }
        if (sockets.send(ours, message) >= 0) {
            letters.add(
                    new Letter(
                            from,
                            message.length,
                            Arrays.copyOf(message, Math.min(message.length, BEGINNING))));
            if (letters.size() > MOST_LETTERS) {
                letters.removeFirst();
            }
        }
    }

    /// Who has sent the message that was received last. Those before it were received by calls that
    /// do not ask for the sender, and that nobody told us of.
    ///
    /// @param length its whole length, of which `message` may be the beginning
    synchronized @Nullable Endpoint sender(int length, byte[] message, boolean taken) {
        Letter found = null;
        int older = 0;
        for (var letter : letters) {
            if (letter.is(length, message)) {
                found = letter;
                break;
            }
            older++;
        }
        if (found == null) {
            return connected;
        }
        for (int i = 0; i < (taken ? older + 1 : older); i++) {
            letters.removeFirst();
        }
        return found.from();
    }

    /// @return how many ways ended with it
    int close(FileCalls files) {
        List<UdpWay> all;
        synchronized (this) {
            closed = true;
            files.close(ours);
            all = ways();
            ways.clear();
        }
        all.forEach(way -> way.close(files));
        return all.size();
    }
}
