// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.writ.core.capability.Host;
import dev.writ.core.capability.HostPattern;
import java.security.cert.CertPathValidator;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.Test;

class AuthorityTest {
    private final List<HostPattern> hosts =
            List.of(
                    Hosts.pattern("api.example.com"),
                    Hosts.pattern("*.example.org"),
                    Hosts.pattern("192.0.2.7"));
    private final Authority authority = new Authority(hosts, InstantSource.system());

    @Test
    void its_certificate_says_that_it_is_an_authority_for_hosts_and_for_two_days() {
        var certificate = authority.certificate();

        assertThat(certificate.getBasicConstraints()).isZero();
        assertThat(certificate.getKeyUsage())
                .containsSequence(false, false, false, false, false, true);
        assertThat(certificate.getCriticalExtensionOIDs())
                .containsExactlyInAnyOrder("2.5.29.19", "2.5.29.15", "2.5.29.30");
        assertThat(certificate.getNotBefore().toInstant()).isBefore(Instant.now());
        assertThat(Duration.between(Instant.now(), certificate.getNotAfter().toInstant()))
                .isLessThanOrEqualTo(Duration.ofDays(2));
        assertThat(certificate.getSerialNumber().signum()).isPositive();
    }

    @Test
    void a_leaf_is_for_one_host_and_for_servers() throws Exception {
        var leaf = leaf(authority, Hosts.host("api.example.com"));

        assertThat(leaf.getSubjectAlternativeNames())
                .containsExactly(List.of(2, "api.example.com"));
        assertThat(leaf.getExtendedKeyUsage()).containsExactly("1.3.6.1.5.5.7.3.1");
        assertThat(leaf.getBasicConstraints()).isEqualTo(-1);
        assertThat(leaf(authority, Hosts.host("192.0.2.7")).getSubjectAlternativeNames())
                .containsExactly(List.of(7, "192.0.2.7"));
        assertThat(leaf.getPublicKey()).isNotEqualTo(authority.certificate().getPublicKey());
    }

    @Test
    void java_accepts_its_leaves() throws Exception {
        for (var host : List.of("api.example.com", "a.b.example.org", "192.0.2.7")) {
            validate(authority, leaf(authority, Hosts.host(host)));
        }
        var any = new Authority(List.of(Hosts.pattern("*")), InstantSource.system());
        validate(any, leaf(any, Hosts.host("whatever.test")));
        validate(any, leaf(any, Hosts.host("[2001:db8::1]")));
    }

    @Test
    void another_session_is_not_believed() {
        var other = new Authority(hosts, InstantSource.system());
        assertThat(other.certificate().getSubjectX500Principal())
                .isNotEqualTo(authority.certificate().getSubjectX500Principal());
        assertThatThrownBy(() -> validate(other, leaf(authority, Hosts.host("api.example.com"))))
                .isInstanceOf(CertPathValidatorException.class);
    }

    @Test
    void leaves_are_made_once_and_not_without_end() {
        var first = authority.serverContext(Hosts.host("api.example.com"));
        assertThat(authority.serverContext(Hosts.host("api.example.com"))).isSameAs(first);
        for (int i = 0; i < 300; i++) {
            authority.serverContext(Hosts.host("h" + i + ".example.org"));
        }
        assertThat(authority.serverContext(Hosts.host("api.example.com"))).isNotSameAs(first);
    }

    @Test
    void the_longest_name_fits() throws Exception {
        var label = "a".repeat(60);
        var name = String.join(".", label, label, label, "a".repeat(58), "example.org");
        assertThat(name).hasSize(253);
        validate(authority, leaf(authority, Hosts.host(name)));
    }

    @Test
    void nothing_is_vouched_for_after_the_end() {
        authority.close();
        assertThatThrownBy(() -> authority.serverContext(Hosts.host("api.example.com")))
                .hasMessageContaining("closed");
    }

    private static X509Certificate leaf(Authority authority, Host host) throws Exception {
        var seen = new ArrayList<X509Certificate>();
        try (var server = new TlsServer(authority.serverContext(host))) {
            var context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new Curious(seen)}, null);
            try (var socket =
                    (SSLSocket)
                            context.getSocketFactory().createSocket("127.0.0.1", server.port())) {
                socket.startHandshake();
            }
        }
        return seen.getFirst();
    }

    private static void validate(Authority authority, X509Certificate leaf) throws Exception {
        var parameters = new PKIXParameters(Set.of(new TrustAnchor(authority.certificate(), null)));
        parameters.setRevocationEnabled(false);
        var path = CertificateFactory.getInstance("X.509").generateCertPath(List.of(leaf));
        CertPathValidator.getInstance("PKIX").validate(path, parameters);
    }
}
