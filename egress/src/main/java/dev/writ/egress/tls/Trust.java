// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.tls;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.writ.core.capability.Host;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/// Whom to believe that it is the host it says. Every certificate is verified, and there is no way
/// to switch that off: who needs another root names it.
///
/// May be used from several threads.
public final class Trust {
    static final List<String> VERSIONS = List.of("TLSv1.3", "TLSv1.2");

    private final List<Path> bundles;
    private final Map<List<String>, SslContext> contexts = new ConcurrentHashMap<>();
    private @Nullable TrustManagerFactory managers;

    /// @param bundles files with more roots than Java has; those that do not exist are passed over
    public Trust(List<Path> bundles) {
        this.bundles = List.copyOf(bundles);
    }

    /// The roots of Java and of this machine.
    ///
    /// @param variables the operator's: `SSL_CERT_FILE` is taken in place of the system's bundle
    /// @param more files with further roots
    public static Trust ofMachine(Map<String, String> variables, List<Path> more) {
        var bundles = new ArrayList<>(more);
        bundles.addAll(SystemBundle.of(variables).stream().toList());
        return new Trust(bundles);
    }

    /// How to speak to a host, in one of `protocols`. Use [#handler] instead, which also says which
    /// host is meant.
    public SslContext clientContext(List<String> protocols) {
        return contexts.computeIfAbsent(List.copyOf(protocols), this::make);
    }

    /// What speaks TLS to `host` and goes on only if it is that host.
    ///
    /// @param protocols what may be agreed upon, the best first: those that the program offers
    public SslHandler handler(
            ByteBufAllocator allocator, Host host, int port, List<String> protocols) {
        var handler = clientContext(protocols).newHandler(allocator, peer(host), port);
        var parameters = handler.engine().getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        name(parameters, host);
        handler.engine().setSSLParameters(parameters);
        return handler;
    }

    /// Java leaves names without a dot out, and knows none with a `_`.
    private static void name(SSLParameters parameters, Host host) {
        if (host instanceof Host.Name name && name.toString().indexOf('_') < 0) {
            parameters.setServerNames(List.of(new SNIHostName(name.toString())));
        }
    }

    private static String peer(Host host) {
        return switch (host) {
            case Host.Name name -> name.toString();
            case Host.Literal(var address) -> address.toString();
        };
    }

    private SslContext make(List<String> protocols) {
        try {
            var builder =
                    SslContextBuilder.forClient()
                            .sslProvider(Speech.PROVIDER)
                            .protocols(VERSIONS)
                            .endpointIdentificationAlgorithm("HTTPS")
                            .trustManager(managers());
            if (!protocols.isEmpty()) {
                builder.applicationProtocolConfig(Authority.alpn(protocols));
            }
            return builder.build();
        } catch (SSLException e) {
            throw new IllegalStateException("cannot speak TLS: " + e.getMessage(), e);
        }
    }

    /// The same for who speaks to a server without Netty, and believes those in `more` besides.
    ///
    /// @param more certificates as text; empty if there are none
    public SSLContext context(String more) {
        try {
            var context = SSLContext.getInstance("TLS");
            context.init(null, load(read(more.getBytes(US_ASCII))).getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("cannot speak TLS: " + e.getMessage(), e);
        }
    }

    private synchronized TrustManagerFactory managers() {
        if (managers == null) {
            try {
                managers = load(List.of());
            } catch (GeneralSecurityException | IOException e) {
                throw new IllegalStateException(
                        "cannot read the certificates to trust: " + e.getMessage(), e);
            }
        }
        return managers;
    }

    private TrustManagerFactory load(List<X509Certificate> more)
            throws GeneralSecurityException, IOException {
        Set<X509Certificate> roots = new LinkedHashSet<>(more);
        for (var manager : factory(null).getTrustManagers()) {
            if (manager instanceof X509TrustManager known) {
                roots.addAll(List.of(known.getAcceptedIssuers()));
            }
        }
        for (var bundle : bundles) {
            if (Files.exists(bundle)) {
                roots.addAll(read(Files.readAllBytes(bundle)));
            }
        }
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        int number = 0;
        for (var root : roots) {
            store.setCertificateEntry("root " + number++, root);
        }
        return factory(store);
    }

    private static TrustManagerFactory factory(@Nullable KeyStore store)
            throws GeneralSecurityException {
        var factory = TrustManagerFactory.getInstance("PKIX");
        factory.init(store);
        return factory;
    }

    /// The certificates of a bundle; whatever else is in it is passed over.
    static List<X509Certificate> read(byte[] bundle) throws GeneralSecurityException {
        var found = new ArrayList<X509Certificate>();
        var factory = CertificateFactory.getInstance("X.509");
        for (var one :
                factory.generateCertificates(
                        new BufferedInputStream(new ByteArrayInputStream(bundle)))) {
            found.add((X509Certificate) one);
        }
        return found;
    }
}
