// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.writ.core.capability.FilePath;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What programs of all kinds think of the certificates, with the session's authority and without.
class ClientsIT {
    private static final String HOST = "api.example.com";

    private final Authority authority =
            new Authority(List.of(Hosts.pattern(HOST)), InstantSource.system());
    private TlsServer server;
    @TempDir private Path folder;

    @BeforeEach
    void serve() throws Exception {
        server = new TlsServer(authority.serverContext(Hosts.host(HOST), List.of("http/1.1")));
        Files.writeString(folder.resolve("ca.pem"), authority.pem());
        Files.writeString(
                folder.resolve("other.pem"),
                new Authority(List.of(Hosts.pattern(HOST)), InstantSource.system()).pem());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void openssl_verifies_chain_and_host() throws Exception {
        needs("openssl");
        var lenient =
                List.of(
                        "openssl",
                        "s_client",
                        "-connect",
                        "127.0.0.1:" + server.port(),
                        "-servername",
                        HOST,
                        "-verify_return_error",
                        "-verify_hostname",
                        HOST,
                        "-CAfile");
        assertThat(run(Map.of(), with(lenient, "ca.pem"))).contains("Verify return code: 0 (ok)");
        assertThat(run(Map.of(), with(lenient, "other.pem"))).doesNotContain("code: 0 (ok)");
    }

    @Test
    void openssl_believes_it_for_no_host_that_no_rule_leads_to() throws Exception {
        needs("openssl");
        for (var host :
                List.of(
                        "example.com",
                        "xapi.example.com",
                        "evil.test",
                        "192.0.2.7",
                        "[2001:db8::1]")) {
            try (var other = new TlsServer(authority.serverContext(Hosts.host(host)))) {
                var command =
                        List.of(
                                "openssl",
                                "s_client",
                                "-connect",
                                "127.0.0.1:" + other.port(),
                                "-CAfile");
                assertThat(run(Map.of(), with(command, "ca.pem")))
                        .as(host)
                        .containsAnyOf("permitted subtree violation", "excluded subtree violation");
            }
        }
    }

    @Test
    void openssl_finds_nothing_wrong_with_it_even_when_strict() throws Exception {
        needs("openssl");
        var command =
                List.of(
                        "openssl",
                        "verify",
                        "-x509_strict",
                        "-CAfile",
                        folder + "/ca.pem",
                        folder + "/ca.pem");
        assertThat(run(Map.of(), command)).contains("OK");
    }

    @Test
    void curl() throws Exception {
        needs("curl");
        var command =
                List.of(
                        "curl",
                        "-sS",
                        "--resolve",
                        HOST + ":" + server.port() + ":127.0.0.1",
                        "https://" + HOST + ":" + server.port() + "/");
        assertThat(run(Map.of("CURL_CA_BUNDLE", folder + "/ca.pem"), command)).contains("it works");
        assertThat(run(Map.of("CURL_CA_BUNDLE", folder + "/other.pem"), command))
                .doesNotContain("it works");
    }

    @Test
    void python() throws Exception {
        needs("python3");
        var code =
                "import socket,ssl;c=ssl.create_default_context();"
                        + "s=c.wrap_socket(socket.create_connection(('127.0.0.1',"
                        + server.port()
                        + ")),server_hostname='"
                        + HOST
                        + "');s.sendall(b'GET / HTTP/1.1\\r\\n\\r\\n');print(s.recv(999))";
        var command = List.of("python3", "-c", code);
        assertThat(run(Map.of("SSL_CERT_FILE", folder + "/ca.pem"), command)).contains("it works");
        assertThat(run(Map.of("SSL_CERT_FILE", folder + "/other.pem"), command))
                .doesNotContain("it works");
    }

    @Test
    void node() throws Exception {
        needs("node");
        var code =
                "require('https').get({host:'127.0.0.1',port:"
                        + server.port()
                        + ",servername:'"
                        + HOST
                        + "'},r=>r.on('data',d=>console.log(''+d))).on('error',e=>console.log(''+e))";
        var command = List.of("node", "-e", code);
        assertThat(run(Map.of("NODE_EXTRA_CA_CERTS", folder + "/ca.pem"), command))
                .contains("it works");
        assertThat(run(Map.of("NODE_EXTRA_CA_CERTS", folder + "/other.pem"), command))
                .doesNotContain("it works");
    }

    @Test
    void go() throws Exception {
        needs("go");
        Files.writeString(
                folder.resolve("main.go"),
                """
                package main
                import ("crypto/tls"; "fmt"; "io")
                func main() {
                  c, err := tls.Dial("tcp", "127.0.0.1:%d", &tls.Config{ServerName: "%s"})
                  if err != nil { fmt.Println(err); return }
                  fmt.Fprint(c, "GET / HTTP/1.1\\r\\n\\r\\n")
                  b, _ := io.ReadAll(c)
                  fmt.Println(string(b))
                }
                """
                        .formatted(server.port(), HOST));
        var built = List.of("go", "build", "-o", folder + "/main", folder + "/main.go");
        run(Map.of("GOFLAGS", "-mod=mod", "GOTOOLCHAIN", "local"), built);
        var command = List.of(folder + "/main");
        assertThat(run(Map.of("SSL_CERT_FILE", folder + "/ca.pem"), command)).contains("it works");
        assertThat(run(Map.of("SSL_CERT_FILE", folder + "/other.pem"), command))
                .doesNotContain("it works");
    }

    @Test
    void java_with_what_it_finds_instead_of_its_own_certificates() throws Exception {
        var java = Path.of(System.getProperty("java.home"));
        var own = java.resolve("lib/security/cacerts");
        assumeThat(own).exists();
        var contents =
                new Bundles(authority, Map.of())
                        .instead(FilePath.of(own.toString()), own)
                        .orElseThrow();
        Files.write(folder.resolve("cacerts"), contents);
        Files.writeString(
                folder.resolve("Main.java"),
                """
                import javax.net.ssl.*;
                void main() throws Exception {
                    var raw = new java.net.Socket("127.0.0.1", %d);
                    var s = (SSLSocket) ((SSLSocketFactory) SSLSocketFactory.getDefault()).createSocket(raw, "%s", 443, true);
                    var p = s.getSSLParameters();
                    p.setEndpointIdentificationAlgorithm("HTTPS");
                    s.setSSLParameters(p);
                    s.getOutputStream().write("GET / HTTP/1.1\\r\\n\\r\\n".getBytes());
                    IO.println(new String(s.getInputStream().readAllBytes()));
                }
                """
                        .formatted(server.port(), HOST));
        var program = folder + "/Main.java";
        assertThat(
                        run(
                                Map.of(),
                                List.of(
                                        java + "/bin/java",
                                        "-Djavax.net.ssl.trustStore=" + folder + "/cacerts",
                                        program)))
                .contains("it works");
        assertThat(run(Map.of(), List.of(java + "/bin/java", program))).doesNotContain("it works");
    }

    private List<String> with(List<String> command, String file) {
        var all = new ArrayList<>(command);
        all.add(folder + "/" + file);
        return all;
    }

    private static void needs(String program) {
        assumeThat(
                        Arrays.stream(
                                        String.valueOf(System.getenv("PATH"))
                                                .split(File.pathSeparator))
                                .anyMatch(f -> Files.isExecutable(Path.of(f, program))))
                .as("this machine has " + program)
                .isTrue();
    }

    private static String run(Map<String, String> variables, List<String> command)
            throws Exception {
        var builder =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectInput(new File("/dev/null"));
        builder.environment().putAll(variables);
        var process = builder.start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return output;
    }
}
