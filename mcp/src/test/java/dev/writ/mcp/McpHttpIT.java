// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Whoever finds the port.
class McpHttpIT {
    private static final String HELLO =
            """
            {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",\
            "capabilities":{"elicitation":{}},"clientInfo":{"name":"raw","version":"1"}}}""";
    private static final String PING = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
    private static final String LONG = "sh -c 'echo $$ > pid; : > ready; exec sleep 1000'";

    @TempDir private Path folder;
    private Path project = Path.of("/");
    private PortServer server = open();
    private String token = "";
    private final HttpClient http = HttpClient.newHttpClient();

    @SuppressWarnings("NullAway") // set before each test
    private static PortServer open() {
        return null;
    }

    @BeforeEach
    void start() throws IOException {
        var workshop = Workshop.in(folder, "version: 1\nextends: [workspace]\nask: [exec:id]\n");
        project = workshop.project();
        server = PortServer.open(workshop.settings(), 0);
        token = Files.readString(server.tokenFile()).strip();
    }

    @AfterEach
    void end() {
        server.end();
        http.close();
    }

    private HttpRequest.Builder request() {
        return HttpRequest.newBuilder(URI.create(server.url()))
                .header("authorization", "Bearer " + token)
                .header("accept", "application/json, text/event-stream")
                .header("content-type", "application/json");
    }

    private HttpResponse<String> send(HttpRequest.Builder request)
            throws IOException, InterruptedException {
        return http.send(request.build(), BodyHandlers.ofString());
    }

    private HttpResponse<String> post(String session, String body)
            throws IOException, InterruptedException {
        return send(
                request().header("mcp-session-id", session).POST(BodyPublishers.ofString(body)));
    }

    /// The id of a new session.
    private String hello() throws IOException, InterruptedException {
        var answer = send(request().POST(BodyPublishers.ofString(HELLO)));
        assertThat(answer.statusCode()).isEqualTo(200);
        return answer.headers().firstValue("mcp-session-id").orElseThrow();
    }

    private static String call(int id, String command) {
        return """
        {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"shell","arguments":{"command":"%s"}}}"""
                .formatted(id, command);
    }

    private static String cancel(int id) {
        return "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":"
                + id
                + "}}";
    }

    /// What comes back for a head that no ordinary client would send.
    private String raw(String... fields) throws IOException {
        int port = URI.create(server.url()).getPort();
        String head =
                "POST /mcp HTTP/1.1\r\ncontent-type: application/json\r\naccept: */*\r\ncontent-length: "
                        + HELLO.length()
                        + "\r\n"
                        + String.join("\r\n", fields)
                        + "\r\nconnection: close\r\n\r\n"
                        + HELLO;
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write(head.getBytes(US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), US_ASCII);
        }
    }

    @Test
    void nobody_is_let_in_without_the_token_or_from_a_page_or_under_another_name()
            throws IOException {
        int port = URI.create(server.url()).getPort();
        String host = "host: 127.0.0.1:" + port;
        String shown = "authorization: Bearer " + token;

        assertThat(raw(host, shown)).startsWith("HTTP/1.1 200");
        assertThat(raw(host, shown, "origin: http://127.0.0.1:" + port)).startsWith("HTTP/1.1 200");
        assertThat(raw(host)).startsWith("HTTP/1.1 401");
        assertThat(raw(host, "authorization: Bearer x")).startsWith("HTTP/1.1 401");
        assertThat(raw(host, "authorization: Basic " + token)).startsWith("HTTP/1.1 401");
        for (var origin : new String[] {"http://evil.test", "null", "http://127.0.0.1:1", ""}) {
            assertThat(raw(host, shown, "origin: " + origin)).startsWith("HTTP/1.1 403");
        }
        for (var other : new String[] {"evil.test", "evil.test:" + port, "127.0.0.1", ""}) {
            assertThat(raw("host: " + other, shown)).startsWith("HTTP/1.1 421");
        }
        assertThat(raw(host, shown)).doesNotContainIgnoringCase("access-control");
    }

    @Test
    void the_token_is_private_and_one_that_is_not_is_not_used() throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(server.tokenFile())))
                .isEqualTo("rw-------");
        Files.setPosixFilePermissions(
                server.tokenFile(), PosixFilePermissions.fromString("rw-r--r--"));

        assertThat(
                        org.assertj.core.api.Assertions.catchThrowable(
                                () ->
                                        TokenFile.read(
                                                folder.toRealPath().resolve("state"),
                                                server.tokenFile())))
                .hasMessageContaining("is not private");
    }

    @Test
    void requests_that_are_not_as_they_should_be_are_refused()
            throws IOException, InterruptedException {
        String session = hello();

        assertThat(post(session, "nonsense").statusCode()).isEqualTo(400);
        assertThat(post(session, "[" + PING + "]").statusCode()).isEqualTo(400);
        assertThat(post(session, "x".repeat(9 << 20)).statusCode()).isEqualTo(413);
        assertThat(post("another", PING).statusCode()).isEqualTo(404);
        assertThat(send(request().POST(BodyPublishers.ofString(PING))).statusCode()).isEqualTo(400);
        assertThat(send(request().PUT(BodyPublishers.ofString(PING))).statusCode()).isEqualTo(405);
        assertThat(send(request().GET()).statusCode()).isEqualTo(400);
        assertThat(
                        send(request()
                                        .header("mcp-session-id", session)
                                        .header("mcp-protocol-version", "1999-01-01")
                                        .POST(BodyPublishers.ofString(PING)))
                                .statusCode())
                .isEqualTo(400);
        assertThat(
                        send(request()
                                        .setHeader("content-type", "text/plain")
                                        .POST(BodyPublishers.ofString(PING)))
                                .statusCode())
                .isEqualTo(415);
        assertThat(
                        send(request()
                                        .setHeader("accept", "text/html")
                                        .POST(BodyPublishers.ofString(PING)))
                                .statusCode())
                .isEqualTo(406);
        assertThat(post(session, PING).body()).contains("\"result\":{}");
    }

    private long started() throws IOException, InterruptedException {
        for (int i = 0; i < 600 && !Files.exists(project.resolve("ready")); i++) {
            Thread.sleep(50);
        }
        return Long.parseLong(Files.readString(project.resolve("pid")).strip());
    }

    private static boolean runs(long process) {
        return ProcessHandle.of(process).filter(ProcessHandle::isAlive).isPresent();
    }

    private static void awaitEnd(long process) throws InterruptedException {
        for (int i = 0; i < 600 && runs(process); i++) {
            Thread.sleep(50);
        }
        assertThat(runs(process)).isFalse();
    }

    /// Begins a call and gives what is to be read of it.
    private InputStream begin(String session, String body)
            throws IOException, InterruptedException {
        return http.send(
                        request()
                                .header("mcp-session-id", session)
                                .POST(BodyPublishers.ofString(body))
                                .build(),
                        BodyHandlers.ofInputStream())
                .body();
    }

    @Test
    void one_client_cannot_cancel_or_answer_for_another() throws IOException, InterruptedException {
        String one = hello();
        String other = hello();
        assertThat(one).isNotEqualTo(other);

        try (var answer = begin(one, call(5, LONG))) {
            long process = started();
            assertThat(post(other, cancel(5)).statusCode()).isEqualTo(202);
            assertThat(runs(process)).isTrue();
            assertThat(post(one, cancel(5)).statusCode()).isEqualTo(202);
            awaitEnd(process);
            assertThat(new String(answer.readAllBytes(), US_ASCII)).doesNotContain("data:");
        }
        try (var answer = begin(one, call(6, "id -u"))) {
            String question = event(answer);
            assertThat(question).contains("elicitation/create");
            String id = question.replaceAll("(?s).*\"id\":\"([^\"]*)\".*", "$1");
            String yes =
                    "{\"jsonrpc\":\"2.0\",\"id\":\""
                            + id
                            + "\",\"result\":{\"action\":\"accept\",\"content\":{\"answer\":\"once\"}}}";
            assertThat(post(other, yes).statusCode()).isEqualTo(202);
            assertThat(post(one, yes.replace("accept", "decline")).statusCode()).isEqualTo(202);
            assertThat(event(answer)).contains("\"isError\":true");
        }
    }

    /// The next event that is no silence.
    private static String event(InputStream in) throws IOException {
        var text = new StringBuilder();
        while (!text.toString().endsWith("\n\n")) {
            int c = in.read();
            if (c < 0) {
                return text.toString();
            }
            text.append((char) c);
            if (text.toString().equals(":\n\n")) {
                text.setLength(0);
            }
        }
        return text.toString();
    }

    @Test
    void what_runs_ends_when_the_connection_does() throws IOException, InterruptedException {
        String session = hello();
        int port = URI.create(server.url()).getPort();
        String body = call(1, LONG);
        long process;
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream()
                    .write(
                            ("POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:"
                                            + port
                                            + "\r\ncontent-type: application/json\r\naccept: */*\r\nauthorization: Bearer "
                                            + token
                                            + "\r\nmcp-session-id: "
                                            + session
                                            + "\r\ncontent-length: "
                                            + body.length()
                                            + "\r\n\r\n"
                                            + body)
                                    .getBytes(US_ASCII));
            process = started();
        }
        awaitEnd(process);
    }

    @Test
    void a_session_ends_with_all_that_runs_in_it() throws IOException, InterruptedException {
        String session = hello();
        String other = hello();
        try (var _ = begin(session, call(1, LONG))) {
            long process = started();
            var ended = send(request().header("mcp-session-id", session).DELETE());

            assertThat(ended.statusCode()).isEqualTo(200);
            awaitEnd(process);
        }
        assertThat(post(session, PING).statusCode()).isEqualTo(404);
        assertThat(post(other, PING).statusCode()).isEqualTo(200);
    }
}
