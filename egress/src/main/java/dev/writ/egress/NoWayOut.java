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
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/// What a session has whose policy leads nowhere. Nothing gets through; but who looks for a name is
/// answered, and it is written down which one.
public final class NoWayOut implements Proxy {
    private final Names names;

    public NoWayOut(Policy policy, Broker broker, SessionId session) {
        this.names = new Names(new LookedUp(policy, broker, session));
    }

    /// Never asked for: no passage is open.
    @Override
    public InetSocketAddress address() {
        throw new IllegalStateException("no rule leads out");
    }

    @Override
    public boolean isAt(int port) {
        return false;
    }

    @Override
    public void expect(InetSocketAddress from, Host host, int port, Passage passage) {
        throw new IllegalStateException("no rule leads out");
    }

    @Override
    public void forget(InetSocketAddress from) {}

    @Override
    public Optional<Way> datagrams(Host host, int port) {
        return Optional.empty();
    }

    @Override
    public Optional<byte[]> answer(byte[] question) {
        return names.answer(question);
    }

    @Override
    public Host meant(Address address) {
        return new Host.Literal(address);
    }

    @Override
    public boolean replacesFiles() {
        return false;
    }

    @Override
    public Optional<byte[]> instead(FilePath file, Path object) {
        return Optional.empty();
    }

    @Override
    public Map<String, String> environment() {
        return Map.of();
    }

    @Override
    public void close() {}
}
