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
import dev.writ.egress.secret.Secrets;
import dev.writ.egress.tls.Bundles;
import dev.writ.egress.tls.Trust;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/// The proxy of one session. Nothing is opened before somebody wants to go out.
public final class Egress implements Proxy {
    private final Service service;
    private final Names names;
    private final Outside outside;
    private final Entrances entrances;

    /// @param secrets those of the session, which end with it; empty if it has none
    public Egress(
            Policy policy,
            Broker broker,
            SessionId session,
            InstantSource clock,
            Outside outside,
            Optional<Secrets> secrets) {
        var gate = new Gate(policy, broker, session, clock);
        this.service =
                new Service(
                        gate,
                        outside,
                        Passage.looksIntoTls(policy)
                                ? Optional.of(new Inspection(gate, policy, clock, outside))
                                : Optional.empty(),
                        secrets);
        this.outside = outside;
        this.names = new Names(new LookedUp(policy, broker, session));
        this.entrances = new Entrances(service);
    }

    @Override
    public InetSocketAddress address() {
        return entrances.get().announced();
    }

    /// Opens a proxy for programs that are told to use one.
    public Explicit explicit() {
        return entrances.get().explicit();
    }

    @Override
    public boolean isAt(int port) {
        return service.own().stream().anyMatch(own -> own.getPort() == port);
    }

    @Override
    public void expect(InetSocketAddress from, Host host, int port, Passage passage) {
        service.announcements().expect(from, new Destination(host, port), passage);
    }

    @Override
    public void forget(InetSocketAddress from) {
        service.announcements().forget(from);
    }

    @Override
    public Optional<Way> datagrams(Host host, int port) {
        return DatagramWay.open(service, new Destination(host, port)).map(way -> way);
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
        return service.inspection().isPresent();
    }

    @Override
    public Optional<byte[]> instead(FilePath file, Path object) {
        return service.inspection().flatMap(i -> i.instead(file, object));
    }

    @Override
    public Map<String, String> environment() {
        return service.inspection().map(Inspection::environment).orElse(Map.of());
    }

    /// The certificate, as text, of who vouches for hosts whose connections are looked into; empty
    /// if none is.
    public Optional<String> authority() {
        return service.inspection().map(Inspection::pem);
    }

    /// The variables by which programs find a file with certificates.
    public static List<String> trustVariables() {
        return Bundles.VARIABLES;
    }

    /// Whom a program believes that it was led to: everybody that this machine believes, and the
    /// authority.
    public SSLContext trust() {
        return Trust.ofMachine(outside.variables(), outside.roots())
                .context(authority().orElse(""));
    }

    Service service() {
        return service;
    }

    @Override
    public void close() {
        entrances.close();
        service.gate().close();
        service.inspection().ifPresent(Inspection::close);
        service.secrets().ifPresent(Secrets::close);
    }
}
