// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.sandbox.Proxy;
import dev.writ.kernel.Errno;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.Sockets;
import java.util.Optional;

/// A real socket for the datagrams between one in a sandbox and one destination. It is connected,
/// so nobody else is heard.
final class UdpWay {
    private final Endpoint to;
    private final Proxy.Way way;
    private final int socket;
    private boolean closed; // guarded by this

    private UdpWay(Endpoint to, Proxy.Way way, int socket) {
        this.to = to;
        this.way = way;
        this.socket = socket;
    }

    /// @param to the destination as it was named in the sandbox
    static Optional<UdpWay> open(Kernel kernel, Endpoint to, Proxy.Way way) {
        var there = Endpoint.of(way.address());
        int family = there.ip().isV6() ? Sockets.AF_INET6 : Sockets.AF_INET;
        var sockets = new Sockets(kernel);
        int socket = sockets.datagrams(family);
        if (socket < 0) {
            way.close();
            return Optional.empty();
        }
        if (sockets.connect(socket, there.bytes(family)) < 0) {
            new FileCalls(kernel).close(socket);
            way.close();
            return Optional.empty();
        }
        return Optional.of(new UdpWay(to, way, socket));
    }

    Endpoint to() {
        return to;
    }

    int socket() {
        return socket;
    }

    boolean isIdle() {
        return way.isIdle();
    }

    /// Sends a message, or says why it cannot. That nobody listens there is told as the network
    /// tells it: once, to whoever sends next.
    synchronized int send(Sockets sockets, byte[] message) {
        if (closed || !way.mayLeave(message.length)) {
            return -Errno.EACCES;
        }
        int sent = sockets.send(socket, message);
        // No room: it is lost, as it could be at any place after this one.
        return sent == -Errno.EAGAIN ? message.length : sent;
    }

    /// Takes one message that came back, and hands it over.
    ///
    /// @return whether there may be another one
    synchronized boolean receive(Sockets sockets, Datagram into) {
        if (closed) {
            return false;
        }
        int length = sockets.receive(socket, Sockets.LONGEST_MESSAGE, 0);
        if (length >= 0 && way.mayReturn(length)) {
            into.deliver(sockets, to, sockets.received(length));
        }
        return length >= 0;
    }

    synchronized void close(FileCalls files) {
        if (!closed) {
            closed = true;
            files.close(socket);
            way.close();
        }
    }
}
