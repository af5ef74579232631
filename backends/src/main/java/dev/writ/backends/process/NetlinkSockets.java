// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.kernel.Errno;
import dev.writ.kernel.Sockets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// What seem to be sockets of NETLINK_ROUTE inside a sandbox. Each is one end of a connection whose
/// other end is here, and what is asked on it is answered while who asks waits.
final class NetlinkSockets {
    private static final int MOST = Surface.LAST_NETLINK - Surface.FIRST_NETLINK + 1;

    private final Map<Long, Datagram> byInode = new HashMap<>();

    /// The one whose end in the sandbox is `inode`.
    synchronized Optional<Datagram> find(long inode) {
        return Optional.ofNullable(byInode.get(inode));
    }

    synchronized boolean isEmpty() {
        return byInode.isEmpty();
    }

    /// Makes one; its end for the sandbox.
    ///
    /// @throws Failed if there are too many
    synchronized int make(Worker worker) {
        removeClosed(worker);
        if (byInode.size() >= MOST) {
            throw new Failed(Errno.ENOBUFS);
        }
        long pair = worker.sockets.pair(Sockets.SOCK_SEQPACKET);
        int theirs = worker.keep((int) pair);
        int ours = (int) (pair >>> 32);
        if (worker.files.look(theirs) < 0) {
            worker.files.close(ours);
            throw new Failed(Errno.ENOBUFS);
        }
        byInode.put(worker.files.inode(), new Datagram(Sockets.AF_NETLINK, ours));
        return theirs;
    }

    /// Those whose other end nobody has any more.
    private void removeClosed(Worker worker) {
        byInode.values().removeIf(socket -> isClosed(worker, socket));
    }

    private static boolean isClosed(Worker worker, Datagram socket) {
        int waiting = worker.sockets.receive(socket.ours, 1, Sockets.MSG_PEEK);
        boolean closed = waiting == 0 || (waiting < 0 && waiting != -Errno.EAGAIN);
        if (closed) {
            socket.close(worker.files);
        }
        return closed;
    }

    synchronized void close(Worker worker) {
        byInode.values().forEach(socket -> socket.close(worker.files));
        byInode.clear();
    }
}
