// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Requests that the server makes for an agent, to real servers.
class FetchIT {
    private static final char[] PASSWORD = "changeit".toCharArray();

    @TempDir private Path folder;

    private static HttpServer serve(HttpServer server) {
        server.createContext("/", FetchIT::answer);
        server.start();
        return server;
    }

    private static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private static void answer(HttpExchange exchange) throws IOException {
        if (exchange.getRequestURI().getPath().equals("/away")) {
            exchange.getResponseHeaders().set("location", "http://other.test/");
            exchange.sendResponseHeaders(302, -1);
            return;
        }
        if (exchange.getRequestURI().getPath().equals("/long")) {
            exchange.sendResponseHeaders(200, 0);
            try (var out = exchange.getResponseBody()) {
                out.write("first ".getBytes(UTF_8));
                out.write("x".repeat(1 << 20).getBytes(UTF_8));
                out.write(" last".getBytes(UTF_8));
            }
            return;
        }
        String key = String.valueOf(exchange.getRequestHeaders().getFirst("Authorization"));
        byte[] text =
                (exchange.getRequestMethod()
                                + " "
                                + exchange.getRequestURI()
                                + " "
                                + (key.equals("Bearer the-real-value-of-it") ? "known" : key)
                                + " "
                                + new String(exchange.getRequestBody().readAllBytes(), UTF_8)
                                + " "
                                + key
                                + " to the proxy: "
                                + exchange.getRequestHeaders().getFirst("Proxy-Authorization"))
                        .getBytes(UTF_8);
        exchange.sendResponseHeaders(200, text.length);
        try (var out = exchange.getResponseBody()) {
            out.write(text);
        }
    }

    private static RawClient.Reply fetch(RawClient client, String url) {
        return client.reply("fetch", Map.of("url", url));
    }

    @Test
    void a_request_is_judged_by_method_and_path() throws IOException {
        var server = serve(HttpServer.create(anyPort(), 0));
        String at = "http://api.test:" + server.getAddress().getPort();
        String policy = "version: 1\nextends: [workspace]\nallow: [\"net:GET=" + at + "/ok/**\"]\n";
        try (var client = new RawClient(Workshop.in(folder, policy).settings()).hello("{}")) {
            var fine = fetch(client, at + "/ok/a");
            var denied = fetch(client, at + "/secret");
            var posted =
                    client.reply(
                            "fetch", Map.of("url", at + "/ok/a", "method", "POST", "body", "data"));
            var elsewhere =
                    fetch(client, "http://127.0.0.1:" + server.getAddress().getPort() + "/");
            var encoded = fetch(client, at + "/ok/%2e%2e/secret");

            assertThat(fine.field("status")).isEqualTo(200);
            assertThat(String.valueOf(fine.field("body")))
                    .startsWith("GET /ok/a ")
                    .endsWith("to the proxy: null");
            assertThat(denied.isError()).isTrue();
            assertThat(denied.text()).contains("writ: denied: `net:GET=" + at + "/secret`");
            assertThat(posted.isError()).isTrue();
            assertThat(posted.text()).contains("method does not fit");
            assertThat(elsewhere.isError()).isTrue();
            assertThat(encoded.text()).doesNotContain("GET /secret");
        } finally {
            server.stop(0);
        }
    }

    @Test
    void redirects_are_handed_back_and_long_bodies_cut() throws IOException {
        var server = serve(HttpServer.create(anyPort(), 0));
        String at = "http://api.test:" + server.getAddress().getPort();
        String policy = "version: 1\nextends: [workspace]\nallow: [\"net:GET=" + at + "/**\"]\n";
        try (var client = new RawClient(Workshop.in(folder, policy).settings()).hello("{}")) {
            var away = fetch(client, at + "/away");
            var cut = fetch(client, at + "/long");

            assertThat(away.field("status")).isEqualTo(302);
            assertThat(cut.field("cut")).isEqualTo(true);
            assertThat(String.valueOf(cut.field("body")))
                    .startsWith("first ")
                    .endsWith(" last")
                    .contains("bytes are left out here")
                    .hasSizeLessThan(300_000);
        } finally {
            server.stop(0);
        }
    }

    @Test
    void arguments_that_have_no_one_meaning_are_refused() throws IOException {
        String policy =
                "version: 1\nextends: [workspace]\nallow: [\"net:GET=http://api.test/**\"]\n";
        try (var client = new RawClient(Workshop.in(folder, policy).settings()).hello("{}")) {
            for (var wrong :
                    List.<Map<String, Object>>of(
                            Map.of(),
                            Map.of("url", "file:///etc/passwd"),
                            Map.of("url", "ftp://api.test/"),
                            Map.of("url", "http://user:key@api.test/"),
                            Map.of("url", "http://api.test/ x"),
                            Map.of("url", "http://api.test/", "method", "GET / HTTP/1.1\r\nx: y"),
                            Map.of(
                                    "url",
                                    "http://api.test/",
                                    "headers",
                                    Map.of("a", "b\r\nHost: evil.test")),
                            Map.of("url", "http://api.test/", "headers", Map.of("Host", "evil")),
                            Map.of(
                                    "url",
                                    "http://api.test/",
                                    "headers",
                                    Map.of("Proxy-Authorization", "Bearer x")),
                            Map.of("url", "http://api.test/", "headers", List.of("a: b")))) {
                var reply = client.reply("fetch", wrong);

                assertThat(reply.isError()).as(wrong.toString()).isTrue();
                assertThat(reply.text()).startsWith("writ: ");
            }
        }
    }

    /// A server that proves who it is by a certificate which is made here.
    private HttpsServer secure(Path root)
            throws IOException, GeneralSecurityException, InterruptedException {
        var store = folder.resolve("server.p12");
        var made =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-genkeypair",
                                "-alias",
                                "server",
                                "-keyalg",
                                "EC",
                                "-dname",
                                "CN=api.test",
                                "-ext",
                                "san=dns:api.test",
                                "-storetype",
                                "PKCS12",
                                "-keystore",
                                store.toString(),
                                "-storepass",
                                new String(PASSWORD))
                        .inheritIO()
                        .start();
        assertThat(made.waitFor(60, TimeUnit.SECONDS)).isTrue();
        var keys = KeyStore.getInstance("PKCS12");
        try (var in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD);
        }
        Files.writeString(
                root,
                "-----BEGIN CERTIFICATE-----\n"
                        + Base64.getMimeEncoder()
                                .encodeToString(keys.getCertificate("server").getEncoded())
                        + "\n-----END CERTIFICATE-----\n");
        var managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, PASSWORD);
        var context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        var server = HttpsServer.create(anyPort(), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        return server;
    }

    @Test
    void inside_tls_requests_are_judged_and_secrets_put_in()
            throws IOException, GeneralSecurityException, InterruptedException {
        var root = folder.resolve("root.pem");
        var server = serve(secure(root));
        String at = "https://api.test:" + server.getAddress().getPort();
        String policy =
                "version: 1\nextends: [workspace]\nallow: [\"net:GET="
                        + at
                        + "/ok/**\"]\nsecrets:\n  key: {from: env:API_KEY, to: \""
                        + at
                        + "\"}\n";
        var workshop = Workshop.in(folder, policy).believing(root);
        try (var client = new RawClient(workshop.settings()).hello("{}")) {
            var fine = fetch(client, at + "/ok/a");
            var denied = fetch(client, at + "/secret");

            assertThat(String.valueOf(fine.field("body"))).startsWith("GET /ok/a known");
            assertThat(fine.text()).doesNotContain("the-real-value-of-it");
            assertThat(denied.isError()).isTrue();
            assertThat(denied.text()).contains("writ: denied: `net:GET=" + at + "/secret`");
        } finally {
            server.stop(0);
        }
    }

    @Test
    void tls_that_is_not_looked_into_is_believed_only_from_the_host_itself()
            throws IOException, GeneralSecurityException, InterruptedException {
        var root = folder.resolve("root.pem");
        var server = serve(secure(root));
        String at = "https://api.test:" + server.getAddress().getPort();
        String policy = "version: 1\nextends: [workspace]\nallow: [\"net:allow=" + at + "\"]\n";
        var workshop = Workshop.in(folder, policy);
        try (var client = new RawClient(workshop.settings()).hello("{}")) {
            assertThat(fetch(client, at + "/a").isError()).isTrue(); // nobody vouches for it
        }
        try (var client = new RawClient(workshop.believing(root).settings()).hello("{}")) {
            assertThat(String.valueOf(fetch(client, at + "/a").field("body")))
                    .endsWith("to the proxy: null"); // its token is nobody else's business
        } finally {
            server.stop(0);
        }
    }
}
