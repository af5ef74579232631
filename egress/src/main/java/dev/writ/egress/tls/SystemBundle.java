// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.tls;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// The file that holds the certificates this machine trusts.
final class SystemBundle {
    static final String VARIABLE = "SSL_CERT_FILE";

    /// Where systems keep it, the file that all links of one system lead to first.
    static final List<String> PLACES =
            List.of(
                    "/etc/ssl/certs/ca-certificates.crt", // Debian, Ubuntu, Alpine, Arch, Gentoo
                    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", // Fedora and its kin
                    "/etc/pki/tls/certs/ca-bundle.crt",
                    "/etc/ssl/ca-bundle.pem", // SUSE
                    "/var/lib/ca-certificates/ca-bundle.pem",
                    "/etc/ca-certificates/extracted/tls-ca-bundle.pem", // Arch
                    "/etc/ssl/certs/ca-bundle.crt", // NixOS
                    "/etc/pki/tls/cert.pem",
                    "/etc/ssl/cert.pem", // Alpine, BSD
                    "/usr/lib/ssl/cert.pem",
                    "/usr/local/share/certs/ca-root-nss.crt");

    private SystemBundle() {}

    static Optional<Path> of(Map<String, String> variables) {
        return Stream.concat(
                        Optional.ofNullable(variables.get(VARIABLE))
                                .filter(p -> p.startsWith("/"))
                                .stream(),
                        PLACES.stream())
                .map(Path::of)
                .filter(Files::isReadable)
                .findFirst();
    }
}
