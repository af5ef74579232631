// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.audit.SessionId;
import dev.writ.core.broker.Broker;
import dev.writ.core.capability.Address;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Host;
import dev.writ.core.policy.Passage;
import dev.writ.core.policy.Policy;
import dev.writ.core.sandbox.Proxy;
import dev.writ.egress.name.Names;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The proxy of one session. Nothing is opened or started before somebody wants to go out.
public final class Egress implements Proxy {
    private final Service service;
    private final Names names;
    private @Nullable Listeners listeners; // guarded by this
    private boolean closed; // guarded by this

    public Egress(
            Policy policy,
            Broker broker,
            SessionId session,
            InstantSource clock,
            Resolver resolver,
            Bounds bounds) {
        this.service = new Service(new Gate(policy, broker, session, clock), resolver, bounds);
        this.names = new Names(host -> Passage.leadsTo(policy, host));
    }

    @Override
    public InetSocketAddress address() {
        return listeners().announced();
    }

    /// Opens a proxy for programs that are told to use one.
    public Explicit explicit() {
        return listeners().explicit();
    }

    @Override
    public void expect(InetSocketAddress from, Host host, int port, boolean judged) {
        service.announcements().expect(from, new Destination(host, port), judged);
    }

    @Override
    public void forget(InetSocketAddress from) {
        service.announcements().forget(from);
    }

    @Override
    public Optional<byte[]> answer(byte[] question) {
        return names.answer(question);
    }

    @Override
    public Host meant(Address address) {
        return names.meant(address);
    }

    @Override
    public boolean replacesFiles() {
        return false;
    }

    @Override
    public Optional<byte[]> instead(FilePath file) {
        return Optional.empty();
    }

    @Override
    public Map<String, String> environment() {
        return Map.of();
    }

    Service service() {
        return service;
    }

    private synchronized Listeners listeners() {
        if (closed) {
            throw new IllegalStateException("the proxy of this session is closed");
        }
        var ready = listeners;
        if (ready == null) {
            ready = new Listeners(service);
            listeners = ready;
        }
        return ready;
    }

    @Override
    public synchronized void close() {
        closed = true;
        var open = listeners;
        if (open != null) {
            open.close();
        }
        service.gate().close();
    }
}
