// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.tls;

import dev.writ.core.capability.Address;
import dev.writ.core.capability.Host;
import dev.writ.core.capability.HostPattern;
import dev.writ.core.digest.Sha256;
import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The two certificates that are ever made: that of an authority, and that of one host. Both are
/// X.509 version 3, signed with ECDSA over SHA-256.
final class Certificate {
    private static final String ECDSA_SHA256 = "1.2.840.10045.4.3.2";
    private static final String COMMON_NAME = "2.5.4.3";
    private static final String SUBJECT_KEY = "2.5.29.14";
    private static final String KEY_USAGE = "2.5.29.15";
    private static final String ALTERNATIVE_NAME = "2.5.29.17";
    private static final String BASIC_CONSTRAINTS = "2.5.29.19";
    private static final String NAME_CONSTRAINTS = "2.5.29.30";
    private static final String AUTHORITY_KEY = "2.5.29.35";
    private static final String EXTENDED_USAGE = "2.5.29.37";
    private static final String SERVER_AUTH = "1.3.6.1.5.5.7.3.1";

    private static final int DNS_NAME = 2;
    private static final int IP_ADDRESS = 7;

    /// Clocks of a program and of this machine are the same, but not those of every container.
    private static final Duration BEFORE = Duration.ofHours(1);

    private static final Duration AFTER = Duration.ofDays(2);

    private final String issuer;
    private final PublicKey key;
    private final PrivateKey signer;
    private final PublicKey authority;

    /// @param issuer the name of the authority; also its own subject
    /// @param key what the certificate is about
    /// @param signer the authority's
    /// @param authority the public half of that
    Certificate(String issuer, PublicKey key, PrivateKey signer, PublicKey authority) {
        this.issuer = issuer;
        this.key = key;
        this.signer = signer;
        this.authority = authority;
    }

    /// That of an authority which can vouch for `hosts` only, and for no other authority.
    X509Certificate forAuthority(List<HostPattern> hosts, Instant now, SecureRandom random) {
        var extensions = new ArrayList<byte[]>();
        var nothingBelow = Der.sequence(Der.yes(), Der.integer(BigInteger.ZERO));
        extensions.add(critical(BASIC_CONSTRAINTS, nothingBelow));
        extensions.add(critical(KEY_USAGE, Der.bits(2, new byte[] {0b0000_0100}))); // keyCertSign
        extensions.add(extension(SUBJECT_KEY, Der.octets(name(key))));
        if (hosts.stream().noneMatch(Certificate::isUnbounded)) {
            extensions.add(critical(NAME_CONSTRAINTS, constraints(hosts)));
        }
        return signed(named(issuer), extensions, now, random);
    }

    /// That of one host.
    X509Certificate forHost(Host host, Instant now, SecureRandom random) {
        var extensions =
                List.of(
                        critical(BASIC_CONSTRAINTS, Der.sequence()),
                        critical(KEY_USAGE, Der.bits(7, new byte[] {(byte) 0b1000_0000})),
                        extension(EXTENDED_USAGE, Der.sequence(Der.identifier(SERVER_AUTH))),
                        extension(SUBJECT_KEY, Der.octets(name(key))),
                        extension(AUTHORITY_KEY, Der.sequence(Der.own(0, name(authority)))),
                        extension(ALTERNATIVE_NAME, Der.sequence(alternative(host))));
        return signed(named("Writ, in place of a host"), extensions, now, random);
    }

    private static byte[] alternative(Host host) {
        return switch (host) {
            case Host.Name name -> Der.own(DNS_NAME, ascii(name.toString()));
            case Host.Literal(var address) -> Der.own(IP_ADDRESS, bytes(address));
        };
    }

    private static boolean isUnbounded(HostPattern host) {
        return host instanceof HostPattern.Any || host instanceof HostPattern.AnySpecial;
    }

    /// What is in no kind permitted is left open, so a kind that does not occur is closed.
    private static byte[] constraints(List<HostPattern> hosts) {
        var names = new ArrayList<byte[]>();
        var addresses = new ArrayList<byte[]>();
        for (var host : hosts) {
            if (host instanceof HostPattern.Exact(Host.Literal(var address))) {
                var bytes = bytes(address);
                var range = Arrays.copyOf(bytes, 2 * bytes.length);
                Arrays.fill(range, bytes.length, range.length, (byte) -1);
                addresses.add(Der.sequence(Der.own(IP_ADDRESS, range)));
            } else if (host instanceof HostPattern.Exact(Host.Name name)) {
                names.add(Der.sequence(Der.own(DNS_NAME, ascii(name.toString()))));
            } else if (host instanceof HostPattern.Below(var name)) {
                names.add(Der.sequence(Der.own(DNS_NAME, ascii(name.toString()))));
            }
        }
        var closed = new ArrayList<byte[]>();
        if (names.isEmpty()) {
            names.add(Der.sequence(Der.own(DNS_NAME, ascii("invalid"))));
        }
        if (addresses.isEmpty()) {
            closed.add(Der.sequence(Der.own(IP_ADDRESS, new byte[8])));
            closed.add(Der.sequence(Der.own(IP_ADDRESS, new byte[32])));
        }
        names.addAll(addresses);
        var permitted = Der.ownOf(0, names.toArray(byte[][]::new));
        return closed.isEmpty()
                ? Der.sequence(permitted)
                : Der.sequence(permitted, Der.ownOf(1, closed.toArray(byte[][]::new)));
    }

    private X509Certificate signed(
            byte[] subject, List<byte[]> extensions, Instant now, SecureRandom random) {
        var algorithm = Der.sequence(Der.identifier(ECDSA_SHA256));
        var body =
                Der.sequence(
                        Der.ownOf(0, Der.integer(BigInteger.TWO)), // version 3
                        Der.integer(new BigInteger(127, random).setBit(126)),
                        algorithm,
                        named(issuer),
                        Der.sequence(Der.time(now.minus(BEFORE)), Der.time(now.plus(AFTER))),
                        subject,
                        key.getEncoded(),
                        Der.ownOf(3, Der.sequence(extensions.toArray(byte[][]::new))));
        try {
            var signature = Signature.getInstance("SHA256withECDSA");
            signature.initSign(signer, random);
            signature.update(body);
            var all = Der.sequence(body, algorithm, Der.bits(0, signature.sign()));
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509")
                            .generateCertificate(new ByteArrayInputStream(all));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot make a certificate: " + e.getMessage(), e);
        }
    }

    private static byte[] extension(String identifier, byte[] value) {
        return Der.sequence(Der.identifier(identifier), Der.octets(value));
    }

    private static byte[] critical(String identifier, byte[] value) {
        return Der.sequence(Der.identifier(identifier), Der.yes(), Der.octets(value));
    }

    private static byte[] named(String name) {
        return Der.sequence(Der.set(Der.sequence(Der.identifier(COMMON_NAME), Der.text(name))));
    }

    /// What a key is called: the first half of its digest.
    private static byte[] name(PublicKey key) {
        return Arrays.copyOf(Sha256.of(key.getEncoded()), 20);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] bytes(Address address) {
        return address.isV6()
                ? ByteBuffer.allocate(16).putLong(address.high()).putLong(address.low()).array()
                : ByteBuffer.allocate(4).putInt((int) address.low()).array();
    }
}
