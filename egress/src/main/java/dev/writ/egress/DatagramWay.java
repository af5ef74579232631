// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.capability.Scheme;
import dev.writ.core.sandbox.Proxy;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/// Datagrams between a program and one destination: counted like a connection, and written down
/// when it is over.
final class DatagramWay implements Proxy.Way {
    private final Service service;
    private final Destination to;
    private final Usage.Account account;
    private final InetSocketAddress address;
    private final long began = System.nanoTime();
    private final AtomicLong up = new AtomicLong();
    private final AtomicLong down = new AtomicLong();
    private volatile long used = began;

    private DatagramWay(Service service, Destination to, InetSocketAddress address) {
        this.service = service;
        this.to = to;
        this.account = service.usage().account(to);
        this.address = address;
    }

    /// Resolves the name, looks at its addresses, and waits for that.
    static Optional<DatagramWay> open(Service service, Destination to) {
        if (!service.usage().connect()) {
            return Optional.empty();
        }
        var way = service.dialer().datagrams(to).map(there -> new DatagramWay(service, to, there));
        if (way.isEmpty()) {
            service.usage().disconnect();
        }
        return way;
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public boolean mayLeave(int bytes) {
        return pass(up, bytes);
    }

    @Override
    public boolean mayReturn(int bytes) {
        return pass(down, bytes);
    }

    private boolean pass(AtomicLong counted, int bytes) {
        used = System.nanoTime();
        boolean may = account.pass(bytes);
        if (may) {
            counted.addAndGet(bytes);
        }
        return may;
    }

    @Override
    public boolean isIdle() {
        return System.nanoTime() - used > service.bounds().idleRequests().toNanos();
    }

    @Override
    public void close() {
        service.usage().disconnect();
        service.gate()
                .sent(
                        Scheme.UDP.word(),
                        to,
                        "",
                        "",
                        0,
                        up.get(),
                        down.get(),
                        System.nanoTime() - began,
                        "");
    }
}
