// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.broker.Approver;
import dev.writ.core.capability.Capability;
import dev.writ.core.capability.Host;
import dev.writ.core.capability.Net;
import dev.writ.core.capability.Scope;
import dev.writ.egress.tls.Authority;
import dev.writ.egress.tls.JavaServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/// A stage whose good server speaks TLS as `allowed.test`, with a certificate of an authority that
/// only the proxy knows. Programs trust the session's authority, and nobody else.
final class SecureStage implements AutoCloseable {
    static final String HOST = "allowed.test";

    final Authority outside =
            new Authority(
                    List.of(((Net) Capability.parse("net:*:443", Scope.SPELLED_OUT)).host()),
                    InstantSource.system());
    final Stage stage;

    SecureStage(Path folder, Map<String, List<String>> secrets, String... more) {
        this(folder, HOST, secrets, more);
    }

    /// @param name whom the server says it is
    SecureStage(Path folder, String name, Map<String, List<String>> secrets, String... more) {
        try {
            var root = Files.writeString(folder.resolve("root.pem"), outside.pem());
            var context = JavaServer.context(outside, Host.parse(name, 0));
            stage =
                    new Stage(
                            new Origin(context.getServerSocketFactory()),
                            List.of(root),
                            secrets,
                            Approver.nobody(),
                            Bounds.DEFAULT,
                            Stream.concat(
                                            Stream.of(
                                                    "allow net:GET,POST=https://allowed.test:GOOD/v1/**",
                                                    "allow net:wss://allowed.test:GOOD/ws",
                                                    "allow net:127.0.0.1:GOOD"),
                                            Stream.of(more))
                                    .toArray(String[]::new));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /// A program's connection that was announced for the good server.
    SSLSocket connect() throws IOException {
        return connect(HOST, stage.egress.authority().orElseThrow());
    }

    SSLSocket connect(String name, String trusted) throws IOException {
        return connect(stage, name, trusted);
    }

    /// @param name whom the program thinks it speaks to
    /// @param trusted the one certificate it trusts
    static SSLSocket connect(Stage stage, String name, String trusted) throws IOException {
        var raw = stage.announce(HOST, stage.good.port());
        var socket =
                (SSLSocket)
                        trusting(trusted)
                                .getSocketFactory()
                                .createSocket(raw, name, stage.good.port(), true);
        var parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(parameters);
        socket.setSoTimeout(20_000);
        socket.startHandshake();
        return socket;
    }

    /// One request on a connection of its own.
    String ask(String request) {
        return ask(stage, request);
    }

    static String ask(Stage stage, String request) {
        try (var socket = connect(stage, HOST, stage.egress.authority().orElseThrow())) {
            return Stage.exchange(socket, stage.ports(request));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static SSLContext trusting(String pem) {
        try {
            var store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setCertificateEntry(
                    "only",
                    CertificateFactory.getInstance("X.509")
                            .generateCertificate(
                                    new ByteArrayInputStream(
                                            pem.getBytes(StandardCharsets.US_ASCII))));
            var managers = TrustManagerFactory.getInstance("PKIX");
            managers.init(store);
            var context = SSLContext.getInstance("TLS");
            context.init(null, managers.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        stage.close();
    }
}
