// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/// Requests in the clear: each is judged by itself, and what is sent is what was judged.
class RequestsTest {
    private static final String GET =
            "GET http://allowed.test:GOOD/v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\n\r\n";

    @Test
    void an_allowed_request_is_answered_and_recorded() {
        try (var stage = Stage.requests()) {
            assertThat(stage.ask(GET)).startsWith(Stage.OK).endsWith("/v1/x ");
            Stage.await(() -> !stage.sent().isEmpty());

            var sent = stage.sent().getFirst();
            assertThat(sent.method()).isEqualTo("GET");
            assertThat(sent.path()).isEqualTo("/v1/x");
            assertThat(sent.host()).isEqualTo("allowed.test");
            assertThat(sent.status()).isEqualTo(200);
            assertThat(sent.up()).isPositive();
            assertThat(sent.down()).isPositive();
        }
    }

    @Test
    void a_refused_request_says_why_and_what_to_ask_for() {
        try (var stage = Stage.requests()) {
            String answer =
                    stage.ask(
                            "DELETE http://allowed.test:GOOD/v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\n\r\n");

            assertThat(answer)
                    .startsWith("HTTP/1.1 403")
                    .contains(
                            stage.ports(
                                    "\"capability\":\"net:DELETE=http://allowed.test:GOOD/v1/x\""))
                    .contains("\"error\":\"denied\"")
                    .contains("\"reason\":\"");
            assertThat(stage.good.heads()).isEmpty();
            assertThat(stage.refusals()).hasSize(1);
        }
    }

    /// A server may take it for part of the head.
    @Test
    void what_comes_after_a_body_is_not_sent_on() {
        try (var stage = Stage.requests()) {
            String post =
                    "POST http://allowed.test:GOOD/v1/b HTTP/1.1\r\nHost: allowed.test:GOOD\r\nTransfer-Encoding: chunked\r\n\r\n";
            String after = "1\r\nx\r\n0\r\nX-HTTP-Method-Override: DELETE\r\n\r\n";

            assertThat(stage.ask(post + after)).startsWith(Stage.OK);
            assertThat(stage.good.heard()).contains("/v1/b").doesNotContain("Override");
        }
    }

    @Test
    void each_request_of_a_connection_is_judged_anew() throws IOException {
        try (var stage = Stage.requests();
                var socket = stage.announce("allowed.test", stage.good.port())) {
            String host = stage.ports("Host: allowed.test:GOOD\r\n\r\n");
            var out = socket.getOutputStream();

            out.write(("GET /v1/a HTTP/1.1\r\n" + host).getBytes(StandardCharsets.US_ASCII));
            assertThat(Stage.readUntil(socket, "/v1/a ")).startsWith(Stage.OK);
            out.write(
                    ("POST /admin HTTP/1.1\r\nContent-Length: 5\r\n" + host + "hello")
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(Stage.readUntil(socket, "}\n")).startsWith("HTTP/1.1 403");
            out.write(
                    ("POST /v1/b HTTP/1.1\r\nTransfer-Encoding: chunked\r\n"
                                    + host
                                    + "3\r\nabc\r\n0\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(Stage.readUntil(socket, "/v1/b abc")).startsWith(Stage.OK);

            assertThat(stage.good.heads()).hasSize(2);
            assertThat(stage.good.connections()).isEqualTo(1);
        }
    }

    @Test
    void requests_sent_in_one_piece_are_judged_one_by_one() throws IOException {
        try (var stage = Stage.requests()) {
            String host = " HTTP/1.1\r\nHost: allowed.test:GOOD\r\n\r\n";

            try (var socket = stage.announce("allowed.test", stage.good.port())) {
                socket.getOutputStream()
                        .write(
                                stage.ports(
                                                "GET /v1/a"
                                                        + host
                                                        + "GET /admin"
                                                        + host
                                                        + "GET /v1/b"
                                                        + host)
                                        .getBytes(StandardCharsets.US_ASCII));
                assertThat(Stage.readUntil(socket, "/v1/b "))
                        .contains("/v1/a ")
                        .contains("HTTP/1.1 403");
            }
            assertThat(stage.good.heard()).doesNotContain("admin");
        }
    }

    @Test
    void requests_are_judged_after_connect_and_socks_as_well() throws IOException {
        try (var stage = Stage.requests()) {
            var proxy = stage.egress.explicit();
            int port = stage.good.port();
            String socks =
                    "\5\1\2\1\1w"
                            + (char) proxy.token().length()
                            + proxy.token()
                            + "\5\1\0\3\14allowed.test"
                            + (char) (port >> 8)
                            + (char) (port & 255);
            String connect =
                    stage.ports(
                                    "CONNECT allowed.test:GOOD HTTP/1.1\r\nProxy-Authorization: Bearer ")
                            + proxy.token()
                            + "\r\n\r\n";
            String host = stage.ports(" HTTP/1.1\r\nHost: allowed.test:GOOD\r\n\r\n");
            for (String greeting : java.util.List.of(connect, socks)) {
                var to = proxy.address();
                try (var socket = new java.net.Socket(to.getAddress(), to.getPort())) {
                    socket.getOutputStream()
                            .write(
                                    (greeting + "GET /v1/a" + host + "GET /admin" + host)
                                            .getBytes(StandardCharsets.ISO_8859_1));
                    assertThat(Stage.readUntil(socket, "}\n"))
                            .contains("/v1/a ")
                            .contains("HTTP/1.1 403");
                }
            }
            assertThat(stage.good.heads()).hasSize(2);
        }
    }

    @Test
    void answers_of_every_form_arrive_whole() {
        try (var stage = Stage.requests("allow net:allow=http://allowed.test:GOOD")) {
            String host = " HTTP/1.1\r\nHost: allowed.test:GOOD\r\n\r\n";

            assertThat(stage.ask("GET http://allowed.test:GOOD/chunked" + host))
                    .contains("5\r\nhello\r\n")
                    .contains("0\r\n\r\n");
            assertThat(stage.ask("GET http://allowed.test:GOOD/close" + host))
                    .startsWith(Stage.OK)
                    .contains("until the end");
            assertThat(stage.ask("HEAD http://allowed.test:GOOD/x" + host))
                    .startsWith(Stage.OK)
                    .endsWith("\r\n\r\n");
            assertThat(stage.ask("GET http://allowed.test:GOOD/redirect" + host))
                    .startsWith("HTTP/1.1 302")
                    .contains("evil.test");
            assertThat(stage.ask("GET http://allowed.test:GOOD/garbage" + host))
                    .startsWith("HTTP/1.1 502");
            assertThat(stage.ask("GET http://allowed.test:GOOD/two-lengths" + host))
                    .startsWith("HTTP/1.1 502");
            assertThat(stage.ask("GET http://allowed.test:GOOD/switch" + host))
                    .startsWith("HTTP/1.1 502");
            assertThat(
                            stage.ask(
                                    "GET http://allowed.test:GOOD/close HTTP/1.0\r\nHost: allowed.test:GOOD\r\n\r\n"))
                    .startsWith("HTTP/1.1 200")
                    .doesNotContain("chunked")
                    .endsWith("until the end<END>");
            assertThat(stage.evil.heard()).isEmpty();
        }
    }

    private static String answered(String answer) throws IOException {
        try (var server = new Scripted(_ -> answer + Scripted.END);
                var stage = new Stage("allow net:allow=http://127.0.0.1:" + server.port())) {
            return stage.ask(
                    "GET http://127.0.0.1:%1$d/ HTTP/1.1\r\nHost: 127.0.0.1:%1$d\r\nConnection: close\r\n\r\n"
                            .formatted(server.port()));
        }
    }

    @Test
    void servers_that_end_lines_as_files_do_are_understood() throws IOException {
        assertThat(answered("HTTP/1.0 200 OK\nX-Old: yes\n\nhello"))
                .startsWith(Stage.OK)
                .contains("X-Old: yes\r\n", "\r\n5\r\nhello\r\n");
        assertThat(answered("HTTP/1.1 200 OK\nContent-Length: 5\n\nhello"))
                .startsWith(Stage.OK)
                .contains("\r\n\r\nhello");
    }

    @Test
    void an_answer_without_a_status_that_exists_is_none() throws IOException {
        for (var status : new String[] {"0", "99", "1000"}) {
            assertThat(answered("HTTP/1.1 " + status + " X\r\nContent-Length: 0\r\n\r\n"))
                    .startsWith("HTTP/1.1 502");
        }
        assertThat(answered("HTTP/1.1 999 X\r\nContent-Length: 0\r\n\r\n"))
                .startsWith("HTTP/1.1 999");
    }

    @Test
    void what_is_sent_is_written_anew() {
        try (var stage = Stage.requests()) {
            stage.ask(
                    String.join(
                            "\r\n",
                            "GET http://ALLOWED.test.:GOOD/v1/%61b/?q=%7e HTTP/1.1",
                            "Host: allowed.TEST:GOOD",
                            "Connection: close, X-Private",
                            "X-Private: 1",
                            "Keep-Alive: 5",
                            "TE: trailers",
                            "Upgrade: h2c",
                            "HTTP2-Settings: AAMAAABk",
                            "X-Kept: yes",
                            "",
                            ""));

            assertThat(stage.good.heads())
                    .containsExactly(
                            stage.ports(
                                    "GET /v1/ab/?q=~ HTTP/1.1\r\nHost: allowed.test:GOOD\r\nX-Kept: yes\r\n\r\n"));
        }
    }

    @Test
    void servers_that_are_not_there_are_reported() {
        try (var stage =
                new Stage(
                        "allow net:allow=http://nowhere.test:GOOD",
                        "allow net:allow=http://closed.test:1",
                        "allow net:127.0.0.1:1")) {
            assertThat(
                            stage.ask(
                                    "GET http://nowhere.test:GOOD/ HTTP/1.1\r\nHost: nowhere.test:GOOD\r\n\r\n"))
                    .startsWith("HTTP/1.1 502")
                    .contains("has no address");
            assertThat(
                            stage.ask(
                                    "GET http://closed.test:1/ HTTP/1.1\r\nHost: closed.test:1\r\n\r\n"))
                    .startsWith("HTTP/1.1 502");
        }
    }

    @Test
    void a_websocket_passes_only_where_a_rule_names_one() {
        String upgrade =
                " HTTP/1.1\r\nHost: allowed.test:GOOD\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n";
        try (var stage = Stage.requests("allow net:ws://allowed.test:GOOD/ws/**")) {
            assertThat(stage.ask("GET http://allowed.test:GOOD/v1/ws" + upgrade))
                    .startsWith("HTTP/1.1 403")
                    .contains("net:ws://");
            assertThat(stage.ask("GET http://allowed.test:GOOD/ws/talk" + upgrade))
                    .startsWith("HTTP/1.1 101");
        }
    }

    @Test
    void frames_go_both_ways_after_the_change() throws IOException {
        try (var stage = Stage.requests("allow net:ws://allowed.test:GOOD/ws/**");
                var socket = stage.announce("allowed.test", stage.good.port())) {
            var out = socket.getOutputStream();
            out.write(
                    stage.ports(
                                    "GET /ws/talk HTTP/1.1\r\nHost: allowed.test:GOOD\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(Stage.readUntil(socket, "\r\n\r\n")).startsWith("HTTP/1.1 101");

            out.write("frame".getBytes(StandardCharsets.US_ASCII));
            assertThat(Stage.readUntil(socket, "frame")).isEqualTo("frame");
        }
    }
}
