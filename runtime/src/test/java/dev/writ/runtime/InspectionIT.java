// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.writ.backends.process.ProcessBackend;
import dev.writ.core.audit.AuditEvent;
import dev.writ.core.broker.Approver;
import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Source;
import dev.writ.egress.Bounds;
import dev.writ.egress.Outside;
import dev.writ.egress.secret.SecretException;
import dev.writ.runtime.policy.PolicyLoader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The whole way: programs in a real sandbox that know nothing of a proxy, and nginx with TLS and
/// HTTP/2 as `api.test`. No certificate of this machine vouches for it but the one that the test
/// names.
@Timeout(180)
class InspectionIT {
    private static final Path NGINX = Path.of("/usr/sbin/nginx");
    private static final String VALUE = "a-value-that-nobody-sees";

    @TempDir Path temporary;
    private Path folder; // of the agent
    private Path outside; // of the server
    private int port;
    private Process nginx;

    @BeforeEach
    void serve() throws Exception {
        assumeThat(NGINX).as("this machine has nginx").exists();
        assumeThat(Path.of("/usr/bin/curl")).as("this machine has curl").exists();
        folder = Files.createDirectory(temporary.toRealPath().resolve("work"));
        outside = Files.createDirectory(temporary.toRealPath().resolve("server"));
        openssl(
                "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -keyout root.key -out root.pem -subj /CN=root");
        openssl(
                "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout host.key -out host.csr -subj /CN=host");
        Files.writeString(outside.resolve("names"), "subjectAltName=DNS:api.test");
        openssl(
                "x509 -req -in host.csr -CA root.pem -CAkey root.key -days 2 -extfile names -out host.pem");
        Files.copy(outside.resolve("root.pem"), folder.resolve("root.pem"));
        try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Files.writeString(
                outside.resolve("nginx.conf"),
                """
                user root; daemon off; pid %1$s/pid; error_log %1$s/error.log; events { }
                http {
                  access_log off; client_body_temp_path %1$s/body; proxy_temp_path %1$s/t1;
                  fastcgi_temp_path %1$s/t2; uwsgi_temp_path %1$s/t3; scgi_temp_path %1$s/t4;
                  server {
                    listen 127.0.0.1:%2$d ssl http2; server_name api.test;
                    ssl_certificate %1$s/host.pem; ssl_certificate_key %1$s/host.key;
                    location / { return 200 "$server_protocol $request_method $request_uri [$http_authorization]\\n"; }
                  }
                }
                """
                        .formatted(outside, port));
        nginx =
                new ProcessBuilder(NGINX.toString(), "-c", outside + "/nginx.conf")
                        .redirectErrorStream(true)
                        .redirectOutput(outside.resolve("out").toFile())
                        .start();
        for (int i = 0; i < 500 && !accepts(); i++) {
            Thread.sleep(10);
        }
    }

    private boolean accepts() {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private void openssl(String arguments) throws Exception {
        var command = new ArrayList<>(List.of("openssl"));
        command.addAll(List.of(arguments.split(" ")));
        var done =
                new ProcessBuilder(command)
                        .directory(outside.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(outside.resolve("openssl.out").toFile())
                        .start();
        assertThat(done.waitFor(60, TimeUnit.SECONDS) && done.exitValue() == 0).isTrue();
    }

    @AfterEach
    void stop() {
        if (nginx != null) {
            nginx.destroy();
            nginx.onExit().join();
        }
    }

    private Session open(Map<String, String> variables, String... lines) throws IOException {
        var file = folder.resolve("writ.yaml");
        Files.writeString(file, String.join("\n", lines).replace("PORT", "" + port) + "\n");
        var config = Config.of(folder, Map.of("PATH", "/usr/bin:/bin", "HOME", "/nowhere"));
        var here = FilePath.of(folder.toString());
        var policy =
                new PolicyLoader(config.scope(here), config.ownFolders())
                        .profile("workspace", Source.of("test"))
                        .file(file, "writ.yaml")
                        .load();
        return new Writ(
                        variables,
                        new ProcessBackend(),
                        Approver.nobody(),
                        Set.of(),
                        new Outside(
                                _ -> List.of(InetAddress.getLoopbackAddress()),
                                Bounds.DEFAULT,
                                variables,
                                List.of(outside.resolve("root.pem"))))
                .open(policy, here);
    }

    private Session inspected(String... more) throws IOException {
        return open(
                Map.of("LANG", "C.UTF-8", "API_KEY", VALUE),
                "allow:",
                "  - net:GET=https://api.test:PORT/v1/**",
                "  - net:127.0.0.1:PORT",
                String.join("\n", more),
                "secrets:",
                "  key: {from: env:API_KEY, to: \"https://api.test:PORT\", as: \"Authorization: Bearer {}\"}");
    }

    private Outcome sh(Session session, String script) throws Exception {
        return session.run(List.of("sh", "-c", script.replace("PORT", "" + port)));
    }

    @Test
    void requests_are_judged_and_secrets_put_in_and_masked() throws Exception {
        try (var session = inspected()) {
            String masked = "[Bearer " + "*".repeat(VALUE.length()) + "]\n";
            assertThat(
                            sh(
                                    session,
                                    "curl -sS https://api.test:PORT/v1/a https://api.test:PORT/v1/b"))
                    .isEqualTo(
                            new Outcome(
                                    0,
                                    "HTTP/2.0 GET /v1/a " + masked + "HTTP/2.0 GET /v1/b " + masked,
                                    "",
                                    List.of()));
            assertThat(sh(session, "curl -sS --http1.1 https://api.test:PORT/v1/a").output())
                    .isEqualTo("HTTP/1.1 GET /v1/a " + masked);
            for (var no :
                    List.of(
                            "-d x https://api.test:PORT/v1/a",
                            "--path-as-is https://api.test:PORT/v1/../v2",
                            "--path-as-is https://api.test:PORT/v1/%2e%2e/v2",
                            "https://api.test:PORT/v2",
                            "-H 'Host: other.test' https://api.test:PORT/v1/a",
                            "-H \"X-Other: $API_KEY\" https://api.test:PORT/v1/a")) {
                assertThat(sh(session, "curl -sS -w '%{http_code}' " + no).output())
                        .as(no)
                        .containsAnyOf("403", "400")
                        .contains("\"error\":")
                        .doesNotContain("HTTP/");
            }
            assertThat(
                            sh(
                                            session,
                                            "curl -sS https://api.test:PORT/v1/a https://api.test:PORT/v2 https://api.test:PORT/v1/b")
                                    .output())
                    .contains("GET /v1/a", "\"error\":\"denied\"", "GET /v1/b");
            assertThat(sh(session, "env; cat /proc/self/environ").output())
                    .contains("API_KEY=writ-secret-key-")
                    .doesNotContain(VALUE);
            assertThat(session.events().toString()).doesNotContain(VALUE);
            assertThat(session.events())
                    .anyMatch(
                            e ->
                                    e instanceof AuditEvent.Egress sent
                                            && sent.secret().equals("key"));
        }
    }

    @Test
    void a_program_with_certificates_of_its_own_fails_closed() throws Exception {
        try (var session = inspected()) {
            assertThat(
                            sh(session, "curl -sS --cacert root.pem https://api.test:PORT/v1/a")
                                    .exitCode())
                    .isEqualTo(60);
        }
    }

    @Test
    void a_whole_host_is_not_looked_into() throws Exception {
        try (var session =
                open(
                        Map.of(),
                        "allow:",
                        "  - net:allow=https://api.test:PORT",
                        "  - net:127.0.0.1:PORT")) {
            assertThat(
                            sh(
                                            session,
                                            "curl -sS --cacert root.pem -d x https://api.test:PORT/v1/a")
                                    .output())
                    .as("the certificate is the server's own")
                    .isEqualTo("HTTP/2.0 POST /v1/a []\n");
            assertThat(sh(session, "curl -sS https://api.test:PORT/v1/a").exitCode()).isEqualTo(60);
        }
    }

    @Test
    void python_and_node_come_through_without_their_help() throws Exception {
        try (var session = inspected()) {
            if (Files.exists(Path.of("/usr/bin/python3"))) {
                assertThat(
                                sh(
                                                session,
                                                "/usr/bin/python3 -c \"import urllib.request as u; print(u.urlopen('https://api.test:PORT/v1/p').read())\"")
                                        .output())
                        .contains("HTTP/1.1 GET /v1/p [Bearer ***");
            }
            if (Files.exists(Path.of("/usr/bin/node"))) {
                Files.writeString(
                        folder.resolve("h2.js"),
                        """
                        const c = require('http2').connect('https://api.test:' + process.argv[2]);
                        let left = 2;
                        for (const p of ['/v1/n', '/v2/n']) {
                          const r = c.request({':path': p});
                          let s = 0; r.on('response', h => { s = h[':status']; }); r.setEncoding('utf8');
                          r.on('data', d => console.log(s + ' ' + d));
                          r.on('end', () => { if (!--left) c.close(); });
                          r.end();
                        }
                        """);
                assertThat(sh(session, "node h2.js PORT").output())
                        .contains(
                                "200 HTTP/2.0 GET /v1/n [Bearer ***", "403 {\"error\":\"denied\"");
            }
        }
    }

    @Test
    void java_comes_through_without_its_help() throws Exception {
        var java = Path.of(System.getProperty("java.home")).toRealPath();
        Files.writeString(
                folder.resolve("Client.java"),
                """
                import java.net.URI;
                import java.net.http.*;
                void main(String[] words) throws Exception {
                    var client = HttpClient.newHttpClient();
                    for (var path : List.of("/v1/j", "/v2/j")) {
                        var to = URI.create("https://api.test:" + words[0] + path);
                        var answer = client.send(HttpRequest.newBuilder(to).build(), HttpResponse.BodyHandlers.ofString());
                        IO.println(answer.statusCode() + " " + answer.body());
                    }
                }
                """);
        try (var session = inspected("  - read:" + java, "  - read:/proc", "  - read:/sys")) {
            var outcome = sh(session, java + "/bin/java -Djava.io.tmpdir=$TMPDIR Client.java PORT");
            assertThat(outcome.output())
                    .as("%s", outcome)
                    .contains("200 HTTP/2.0 GET /v1/j [Bearer ***", "403 {\"error\":\"denied\"");
        }
    }

    @Test
    void a_static_go_program_comes_through_without_its_help() throws Exception {
        var go = Path.of("/usr/local/go/bin/go");
        assumeThat(go).as("this machine has Go").exists();
        // No more than this is compiled: the rest of the library takes minutes.
        Files.writeString(
                folder.resolve("main.go"),
                """
                package main
                import ("crypto/tls"; "fmt"; "io"; "os")
                func main() {
                  for _, p := range []string{"/v1/g", "/v2/g"} {
                    c, err := tls.Dial("tcp", "api.test:" + os.Args[1], nil)
                    if err != nil { fmt.Println(err); return }
                    fmt.Fprintf(c, "GET %s HTTP/1.1\\r\\nHost: api.test:%s\\r\\nConnection: close\\r\\n\\r\\n", p, os.Args[1])
                    b, _ := io.ReadAll(c)
                    fmt.Println(string(b))
                  }
                }
                """);
        var builder =
                new ProcessBuilder(go.toString(), "build", "-o", "client", "main.go")
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(outside.resolve("go.out").toFile());
        builder.environment().putAll(Map.of("CGO_ENABLED", "0", "GOTOOLCHAIN", "local"));
        assertThat(builder.start().waitFor(300, TimeUnit.SECONDS)).isTrue();
        try (var session = inspected("  - shell:*")) {
            var outcome = sh(session, "./client PORT");
            assertThat(outcome.output())
                    .as("%s", outcome)
                    .contains("HTTP/1.1 GET /v1/g [Bearer ***", "403", "{\"error\":\"denied\"");
        }
    }

    @Test
    void a_secret_that_is_missing_shows_before_anything_happens() {
        assertThatThrownBy(
                        () ->
                                open(
                                        Map.of(),
                                        "allow: [\"net:GET=https://api.test:PORT/v1/**\"]",
                                        "secrets:",
                                        "  key: {from: env:API_KEY, to: \"https://api.test:PORT\"}"))
                .isInstanceOf(SecretException.class)
                .hasMessageContaining("the variable `API_KEY` is not set");
    }
}
