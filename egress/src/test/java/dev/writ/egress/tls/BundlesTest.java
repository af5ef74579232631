// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.capability.FilePath;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.KeyStore;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BundlesTest {
    private final Authority authority =
            new Authority(List.of(Hosts.pattern("*")), InstantSource.system());
    private final Bundles bundles = new Bundles(authority, Map.of());
    @TempDir private Path folder;

    @Test
    void a_bundle_has_one_certificate_more() throws Exception {
        var other = new Authority(List.of(Hosts.pattern("*")), InstantSource.system());
        var file = file("lib/python3/site-packages/certifi/cacert.pem");
        Files.writeString(file, other.pem().strip());

        var found = instead(bundles, file).orElseThrow();

        assertThat(Trust.read(found)).containsExactly(other.certificate(), authority.certificate());
        assertThat(Files.readString(file)).isEqualTo(other.pem().strip());
    }

    @Test
    void the_bundle_that_the_operator_names_is_one() throws Exception {
        var file = file("company.pem");
        Files.writeString(file, "");
        var named = new Bundles(authority, Map.of("SSL_CERT_FILE", file.toString()));

        assertThat(named.environment())
                .containsEntry("SSL_CERT_FILE", file.toString())
                .containsEntry("NODE_EXTRA_CA_CERTS", file.toString());
        assertThat(instead(named, file))
                .hasValue(authority.pem().getBytes(StandardCharsets.US_ASCII));
        assertThat(instead(bundles, file)).isEmpty();
    }

    @Test
    void variables_point_to_a_file_that_is_answered() {
        bundles.environment()
                .values()
                .forEach(file -> assertThat(instead(bundles, Path.of(file))).isPresent());
    }

    @Test
    void other_files_are_what_they_are() throws Exception {
        var file = file("certifi/other.pem");
        Files.writeString(file, "x");
        assertThat(instead(bundles, file)).isEmpty();
        assertThat(instead(bundles, Path.of("/etc/passwd"))).isEmpty();
        assertThat(instead(bundles, folder.resolve("certifi/cacert.pem"))).isEmpty();
        Files.createDirectories(folder.resolve("x/certifi/cacert.pem"));
        assertThat(instead(bundles, folder.resolve("x/certifi/cacert.pem"))).isEmpty();
    }

    /// Another sandbox may have put a link in its place since it was judged.
    @Test
    void what_was_judged_is_read_whoever_has_its_name_by_now() throws Exception {
        var file = file("certifi/cacert.pem");
        var judged = Files.writeString(folder.resolve("judged"), "judged\n");
        Files.createSymbolicLink(file, Files.writeString(folder.resolve("secret"), "secret\n"));
        for (var round : List.of("first", "known")) {
            var found = bundles.instead(FilePath.of(file.toString()), judged).orElseThrow();
            assertThat(new String(found, StandardCharsets.UTF_8)).as(round).startsWith("judged\n");
        }
    }

    @Test
    void one_that_is_too_large_is_what_it_is() throws Exception {
        var file = file("certifi/cacert.pem");
        Files.write(file, new byte[5 << 20]);
        assertThat(instead(bundles, file)).isEmpty();
    }

    @Test
    void a_change_of_the_file_shows() throws Exception {
        var file = file("certifi/cacert.pem");
        Files.writeString(file, "old\n");
        assertThat(text(file)).startsWith("old\n");
        Files.writeString(file, "new\n");
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(5)));
        assertThat(text(file)).startsWith("new\n");
    }

    @Test
    void what_a_caller_does_with_the_bytes_stays_with_it() throws Exception {
        var file = file("certifi/cacert.pem");
        Files.writeString(file, "mine\n");
        instead(bundles, file).orElseThrow()[0] = 'X';
        assertThat(text(file)).startsWith("mine\n");
    }

    @Test
    void certificates_of_java_have_one_more_in_every_form() throws Exception {
        var other = new Authority(List.of(Hosts.pattern("*")), InstantSource.system());
        for (var form : List.of("JKS", "PKCS12")) {
            for (var password : new char[][] {"changeit".toCharArray(), null}) {
                if (form.equals("JKS") && password == null) {
                    continue; // cannot be written
                }
                var store = KeyStore.getInstance(form);
                store.load(null, null);
                store.setCertificateEntry("other", other.certificate());
                var file = file(form + (password == null) + "/lib/security/cacerts");
                if (password == null) {
                    System.setProperty("keystore.pkcs12.certProtectionAlgorithm", "NONE");
                    System.setProperty("keystore.pkcs12.macAlgorithm", "NONE");
                }
                try (var out = Files.newOutputStream(file)) {
                    store.store(out, password);
                } finally {
                    System.clearProperty("keystore.pkcs12.certProtectionAlgorithm");
                    System.clearProperty("keystore.pkcs12.macAlgorithm");
                }
                for (var reading : new char[][] {"changeit".toCharArray(), null}) {
                    var read = KeyStore.getInstance(KeyStore.getDefaultType());
                    read.load(
                            new ByteArrayInputStream(instead(bundles, file).orElseThrow()),
                            reading);
                    assertThat(read.getCertificate("other")).isEqualTo(other.certificate());
                    assertThat(read.getCertificateAlias(authority.certificate())).isNotNull();
                }
            }
        }
    }

    @Test
    void certificates_of_java_that_cannot_be_read_are_what_they_are() throws Exception {
        var file = file("lib/security/cacerts");
        Files.writeString(file, "not a key store");
        assertThat(instead(bundles, file)).isEmpty();
    }

    private String text(Path file) {
        return new String(instead(bundles, file).orElseThrow(), StandardCharsets.UTF_8);
    }

    private Path file(String name) throws Exception {
        var file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        return file;
    }

    private static Optional<byte[]> instead(Bundles bundles, Path file) {
        return bundles.instead(FilePath.of(file.toString()), file);
    }
}
