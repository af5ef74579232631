// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.tls;

import dev.writ.core.capability.Host;
import dev.writ.core.capability.HostPattern;
import dev.writ.core.capability.Net;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Rule;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.InstantSource;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/// Vouches, in one session, for the hosts whose connections are looked at. Its key is made when it
/// is first needed, is never written anywhere, and is gone with it; its certificate holds for two
/// days.
///
/// May be used from several threads.
public final class Authority implements AutoCloseable {
    /// The protocols that can be looked at, the best first.
    public static final List<String> PROTOCOLS = List.of("h2", "http/1.1");

    private static final int MOST_HOSTS = 256;

    /// A store that is only in memory, and need not be hard to open. The usual one is, which took
    /// 50 ms for each host.
    private static final String QUICK = "JKS";

    private record Server(Host host, List<String> protocols) {}

    private final List<HostPattern> hosts;
    private final InstantSource clock;
    private @Nullable Keys keys; // guarded by this
    private boolean closed; // guarded by this
    private final Map<Server, SslContext> contexts =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<Server, SslContext> eldest) {
                    return size() > MOST_HOSTS;
                }
            };

    /// Nothing is made before somebody wants it.
    ///
    /// @param hosts for which alone it can vouch
    public Authority(List<HostPattern> hosts, InstantSource clock) {
        this.hosts = List.copyOf(hosts);
        this.clock = clock;
    }

    /// For the hosts that rules of `policy` lead to.
    public static Authority of(Policy policy, InstantSource clock) {
        var hosts =
                policy.rules().stream()
                        .filter(rule -> rule.effect() != Effect.DENY)
                        .map(Rule::capability)
                        .filter(Net.class::isInstance)
                        .map(net -> ((Net) net).host())
                        .distinct()
                        .toList();
        return new Authority(hosts, clock);
    }

    private synchronized Keys keys() {
        if (closed) {
            throw new IllegalStateException("the session is closed");
        }
        if (keys == null) {
            keys = new Keys(hosts, clock);
        }
        return keys;
    }

    /// What programs have to trust.
    public X509Certificate certificate() {
        return keys().certificate;
    }

    /// The same as text, with a line before and after.
    public String pem() {
        try {
            return "-----BEGIN CERTIFICATE-----\n"
                    + Base64.getMimeEncoder(64, new byte[] {'\n'})
                            .encodeToString(certificate().getEncoded())
                    + "\n-----END CERTIFICATE-----\n";
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException(e);
        }
    }

    /// How to speak to a program in place of `host`, in any of [#PROTOCOLS].
    public SslContext serverContext(Host host) {
        return serverContext(host, PROTOCOLS);
    }

    /// How to speak to a program in place of `host`.
    ///
    /// @param protocols what may be agreed upon, the best first; a program that names none gets
    /// HTTP/1.1
    public synchronized SslContext serverContext(Host host, List<String> protocols) {
        return contexts.computeIfAbsent(
                new Server(host, List.copyOf(protocols)), server -> make(server, Speech.PROVIDER));
    }

    /// For tests that need the one or the other.
    SslContext make(Host host, List<String> protocols, SslProvider provider) {
        return make(new Server(host, protocols), provider);
    }

    private SslContext make(Server server, SslProvider provider) {
        var made = keys();
        try {
            return SslContextBuilder.forServer(
                            made.hostKey.getPrivate(), made.leaf(server.host(), clock))
                    .sslProvider(provider)
                    .keyStoreType(QUICK)
                    .trustManager(new Nobody())
                    .protocols(Trust.VERSIONS)
                    .applicationProtocolConfig(alpn(server.protocols()))
                    .build();
        } catch (SSLException e) {
            throw new IllegalStateException(
                    "cannot speak TLS for `" + server.host() + "`: " + e.getMessage(), e);
        }
    }

    static ApplicationProtocolConfig alpn(List<String> protocols) {
        return new ApplicationProtocolConfig(
                Protocol.ALPN,
                SelectorFailureBehavior.NO_ADVERTISE,
                SelectedListenerFailureBehavior.ACCEPT,
                protocols);
    }

    /// Forgets the key. Connections that were made go on; no new one can be.
    @Override
    public synchronized void close() {
        closed = true;
        keys = null;
        contexts.clear();
    }

    /// What is made once: the authority's key, and the one that all hosts share.
    private static final class Keys {
        private final SecureRandom random = new SecureRandom();
        private final KeyPair own = make();
        private final KeyPair hostKey = make();
        // Two authorities of one name confuse programs that look issuers up by name.
        private final String name = "Writ session " + Long.toHexString(random.nextLong());
        private final X509Certificate certificate;

        Keys(List<HostPattern> hosts, InstantSource clock) {
            certificate = about(own).forAuthority(hosts, clock.instant(), random);
        }

        private Certificate about(KeyPair key) {
            return new Certificate(name, key.getPublic(), own.getPrivate(), own.getPublic());
        }

        X509Certificate leaf(Host host, InstantSource clock) {
            return about(hostKey).forHost(host, clock.instant(), random);
        }

        private KeyPair make() {
            try {
                var generator = KeyPairGenerator.getInstance("EC");
                generator.initialize(new ECGenParameterSpec("secp256r1"), random);
                return generator.generateKeyPair();
            } catch (GeneralSecurityException e) {
                throw new AssertionError("every Java has P-256", e);
            }
        }
    }
}
