// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.Address;
import dev.writ.core.capability.Scheme;
import dev.writ.core.policy.Passage;
import dev.writ.core.sandbox.Proxy;
import dev.writ.kernel.Errno;
import dev.writ.kernel.Notifications.Notification;
import dev.writ.kernel.Sockets;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;

/// connect(2) where there is a way out: the process's own socket is led to the proxy, which has
/// been told by then where the connection is meant to go. The kernel never sees the address that
/// the process wanted.
final class Outward {
    private static final int IPPROTO_IP = 0;
    private static final int IP_BIND_ADDRESS_NO_PORT = 24;
    private static final int TCP_CLOSE = 7;

    /// Connections come from 127.64.0.0/10, each from another address. From one address alone there
    /// would be no more than its ports in a minute: each rests that long after its use.
    private static final int FIRST_SOURCE = 0x7f40_0001;

    private static final int SOURCES = 0x003f_fffe;
    private static final AtomicInteger NEXT_SOURCE = new AtomicInteger();

    private final Worker worker;
    private final Judge judge;
    private final WayOut out;
    private final Proxy proxy;

    Outward(Worker worker, Judge judge, WayOut out) {
        this.worker = worker;
        this.judge = judge;
        this.out = out;
        this.proxy = out.proxy;
    }

    /// Who is told of a connection before it is made, and of one that was not made after all.
    interface Expecting {
        void expect(InetSocketAddress from);

        void forget(InetSocketAddress from);
    }

    void connect(Notification call, int socket, Endpoint to) {
        if (to.port() == WayOut.NAMES) {
            lead(call, socket, out.names.address(), out.names);
            return;
        }
        var host = proxy.meant(to.ip());
        var passage = judge.passage(host, to.port());
        if (passage != Passage.REQUESTS) {
            judge.require(worker, new Action.Connect(Scheme.TCP, host, to.port()));
        }
        if (passage == Passage.CLOSED || (to.isThisMachine() && proxy.isAt(to.port()))) {
            throw new Failed(Errno.EACCES);
        }
        if (passage == Passage.ANYTHING && to.isThisMachine()) {
            int result = new Connecting(worker, call).to(socket, to.bytes(family(socket)));
            worker.answer(call, result);
            return;
        }
        lead(
                call,
                socket,
                proxy.address(),
                new Expecting() {
                    @Override
                    public void expect(InetSocketAddress from) {
                        proxy.expect(from, host, to.port(), passage);
                    }

                    @Override
                    public void forget(InetSocketAddress from) {
                        proxy.forget(from);
                    }
                });
    }

    private void lead(Notification call, int socket, InetSocketAddress there, Expecting expecting) {
        byte[] to = Endpoint.of(there).bytes(family(socket));
        worker.requireWaiting(call);
        if (worker.sockets.tcpState(socket) != TCP_CLOSE) {
            // It is connected, or about to be, and was announced then: the kernel knows better.
            worker.answer(call, worker.sockets.connect(socket, to));
            return;
        }
        var from = source(socket);
        // ORDER: who is not announced by the time of the connection is sent away.
        expecting.expect(from);
        int result = -Errno.EACCES;
        try {
            result = worker.sockets.connect(socket, to);
        } finally {
            if (result != 0 && result != -Errno.EINPROGRESS && result != -Errno.EALREADY) {
                expecting.forget(from);
            }
        }
        worker.answer(call, result);
    }

    private int family(int socket) {
        byte[] name = worker.sockets.name(socket);
        int family = name.length < 2 ? 0 : Endpoint.family(name);
        if (family != Sockets.AF_INET && family != Sockets.AF_INET6) {
            throw new Failed(Errno.EINVAL);
        }
        return family;
    }

    /// Where the connection will come from: a port of its own, if the process has not chosen one.
    private InetSocketAddress source(int socket) {
        byte[] name = worker.sockets.name(socket);
        if (Endpoint.of(name).port() == 0) {
            // Both can be changed until a socket has its port. IPv6 alone does not lead to the
            // proxy, and a port that is chosen while connecting comes too late to be announced.
            worker.sockets.allowV4(socket);
            worker.sockets.setOption(socket, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 0);
            boolean free = Endpoint.of(name).isWildcard();
            byte[] own = free ? nextSource(0).bytes(Endpoint.family(name)) : name;
            worker.sockets.bind(socket, own); // or somebody was faster
            name = worker.sockets.name(socket);
        }
        var source = Endpoint.of(name);
        if (source.port() == 0) {
            throw new Failed(Errno.EADDRNOTAVAIL);
        }
        return (source.isWildcard() ? Endpoint.nowhere(source.port()).orLoopback() : source).java();
    }

    private static Endpoint nextSource(int port) {
        long number = Integer.toUnsignedLong(NEXT_SOURCE.getAndIncrement()) % SOURCES;
        return new Endpoint(new Address(false, 0, FIRST_SOURCE + number), port);
    }
}
