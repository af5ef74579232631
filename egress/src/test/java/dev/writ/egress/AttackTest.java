// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The attacks of the corpus on a proxy (group E), each beside what must still work.
class AttackTest {
    private static final String HOST = "Host: allowed.test:GOOD\r\n\r\n";

    /// The names lead where the attacks want them to: without the proxy they would work.
    @Test
    void the_attacks_have_something_to_reach() throws IOException {
        try (var stage = Stage.requests();
                var socket = new Socket(Stage.resolve("evil.test").getFirst(), stage.evil.port())) {
            assertThat(Stage.exchange(socket, "GET /x HTTP/1.1\r\n\r\n")).startsWith(Stage.OK);
            assertThat(stage.evil.heads()).hasSize(1);
            assertThat(stage.ask("GET http://allowed.test:GOOD/v1/x HTTP/1.1\r\n" + HOST))
                    .startsWith(Stage.OK);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evilallowed.test:GOOD",
                "allowed.test.evil.test:GOOD",
                "evil.test.:EVIL",
                "evil\u3002test:EVIL",
                "\u0430llowed.test:GOOD",
                "allowed.test:EVIL",
                "allowed.test:22",
                "127.0.0.1:EVIL",
                "2130706433:EVIL",
                "0x7f000001:EVIL",
                "0177.0.0.1:EVIL",
                "127.1:EVIL",
                "[::ffff:127.0.0.1]:EVIL",
                "[::ffff:7f00:1]:EVIL",
                "[::127.0.0.1]:EVIL",
                "[64:ff9b::7f00:1]:EVIL",
                "[2002:7f00:1::]:EVIL",
                "[::1%25lo]:EVIL",
                "169.254.169.254:80",
                "metadata.google.internal:80",
                "[fd00:ec2::254]:80",
                "localhost:EVIL",
                "allowed.test@evil.test:EVIL",
                "allowed.test:EVIL:80",
                "allowed.test:",
                "allowed.test:0",
                "allowed.test:080",
                "allowed.test:99999",
                ":EVIL",
                "allowed.test"
            })
    void no_spelling_of_a_destination_leads_elsewhere(String authority) {
        try (var stage = Stage.requests("allow net:*.allowed.test:*")) {
            String utf = latin(authority);

            String connect = stage.ask("CONNECT " + utf + " HTTP/1.1\r\n\r\n");
            String get =
                    stage.ask("GET http://" + utf + "/v1/x HTTP/1.1\r\nHost: " + utf + "\r\n\r\n");

            assertThat(connect).matches("(?s)HTTP/1.1 40[03].*");
            if (!authority.equals("allowed.test") && !authority.equals("allowed.test:")) {
                assertThat(get).matches("(?s)HTTP/1.1 40[03].*");
            }
            assertThat(stage.evil.connections()).isZero();
            assertThat(stage.good.connections()).isZero();
        }
    }

    private static String latin(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    @Test
    void a_name_that_leads_to_an_address_nobody_named_is_refused() {
        try (var stage = Stage.requests("allow net:rebind.test:EVIL", "allow net:both.test:GOOD")) {
            assertThat(
                            stage.ask(
                                    "CONNECT rebind.test:EVIL HTTP/1.1\r\nHost: rebind.test:EVIL\r\n\r\n"))
                    .startsWith("HTTP/1.1 403")
                    .contains("127.0.0.1")
                    .contains("no rule names");
            assertThat(stage.evil.connections()).isZero();
            Stage.await(() -> !stage.refusals().isEmpty());
            assertThat(stage.refusals()).anyMatch(r -> r.code().equals("egress.address"));

            // One of its two addresses is named, and only that one is dialled.
            assertThat(stage.ask("CONNECT both.test:GOOD HTTP/1.1\r\nHost: both.test:GOOD\r\n\r\n"))
                    .startsWith(Stage.OK);
        }
    }

    @Test
    void a_denied_address_stays_denied_whatever_name_leads_there() {
        try (var stage = Stage.requests("allow net:any.test:GOOD", "deny net:127.0.0.1:GOOD")) {
            assertThat(stage.ask("CONNECT any.test:GOOD HTTP/1.1\r\n\r\n"))
                    .startsWith("HTTP/1.1 403");
            assertThat(stage.good.connections()).isZero();
        }
    }

    @Test
    void the_proxy_does_not_connect_to_itself() {
        try (var stage = new Stage("allow net:127.0.0.1:*")) {
            int own = stage.egress.explicit().address().getPort();
            assertThat(stage.ask("CONNECT 127.0.0.1:" + own + " HTTP/1.1\r\n\r\n"))
                    .startsWith("HTTP/1.1 403");
            assertThat(stage.ask("CONNECT 127.0.0.1:GOOD HTTP/1.1\r\n\r\n")).startsWith(Stage.OK);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET http://allowed.test:GOOD/v1/x HTTP/1.1\r\nHost: evil.test\r\n\r\n",
                "GET http://evil.test:EVIL/v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\n\r\n",
                "GET http://allowed.test@evil.test:EVIL/ HTTP/1.1\r\nHost: allowed.test\r\n\r\n",
                "GET http://allowed.test:GOOD/v1/x HTTP/1.1\r\nHost : allowed.test:GOOD\r\n\r\n",
                "GET http://allowed.test:GOOD/v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\nX: 1\r\n\r\n",
                "GET http://allowed.test:GOOD/v1/x HTTP/1.1\nHost: allowed.test:GOOD\n\n",
                "GET http://allowed.test:GOOD/v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\nHost: allowed.test:GOOD\r\n\r\n",
                "GET http://allowed.test:GOOD/v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\nX: a\r\n b\r\n\r\n",
                "GET http://allowed.test:GOOD/v1/x HTTP/1.1\r\n Host: allowed.test:GOOD\r\n\r\n",
                "GET http://allowed.test:GOOD/v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\nX: a\0b\r\n\r\n",
                "GET http://allowed.test:GOOD/v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\nX\r\n\r\n",
                "GET http://allowed.test:GOOD/v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\n: x\r\n\r\n",
                "GET  http://allowed.test:GOOD/v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\n\r\n",
                "GET http://allowed.test:GOOD/v1/x HTTP/2.0\r\nHost: allowed.test:GOOD\r\n\r\n",
                "GET http://allowed.test:GOOD/v1/x\r\nHost: allowed.test:GOOD\r\n\r\n",
                "GET http://allowed.test:GOOD/v1/x HTTP/1.1\r\n\r\n",
                "GET /v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\n\r\n",
                "GET https://allowed.test:GOOD/v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\n\r\n",
                "get http://allowed.test:GOOD/v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\n\r\n",
                "TRACE http://allowed.test:GOOD/v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\n\r\n",
                "OPTIONS * HTTP/1.1\r\nHost: allowed.test:GOOD\r\n\r\n",
                "GET http://allowed.test:GOOD/v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\nX-HTTP-Method-Override: DELETE\r\n\r\n",
                "GET http://allowed.test:GOOD/v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\nX_HTTP_Method_Override: DELETE\r\n\r\n",
                "GET http://allowed.test:GOOD/v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\nX.Original-URL: /admin\r\n\r\n",
                "GET http://allowed.test:GOOD/v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\nX-HTTP_Host~Override: evil.test\r\n\r\n",
                "GET http://allowed.test:GOOD/v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\nContent_Length: 3\r\n\r\n",
                "GET http://allowed.test:GOOD/v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\nTransfer_Encoding: chunked\r\n\r\n",
                "GET http://allowed.test:GOOD/v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\nContent.Encoding: gzip\r\n\r\n",
                "GET http://allowed.test:GOOD/v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\nX-Original-URL: /admin\r\n\r\n",
                "POST http://allowed.test:GOOD/v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "POST http://allowed.test:GOOD/v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
                "POST http://allowed.test:GOOD/v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\nContent-Length: 3, 3\r\n\r\nabc",
                "POST http://allowed.test:GOOD/v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\nContent-Length: +3\r\n\r\nabc",
                "POST http://allowed.test:GOOD/v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\nContent-Length: -3\r\n\r\nabc",
                "POST http://allowed.test:GOOD/v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
                "POST http://allowed.test:GOOD/v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
                "GET http://allowed.test:GOOD/v1/../admin HTTP/1.1\r\nHost: allowed.test:GOOD\r\n\r\n",
                "GET http://allowed.test:GOOD/v1/%2e%2e/admin HTTP/1.1\r\nHost: allowed.test:GOOD\r\n\r\n",
                "GET http://allowed.test:GOOD//admin HTTP/1.1\r\nHost: allowed.test:GOOD\r\n\r\n",
                "GET http://allowed.test:GOOD/v1/..;/admin HTTP/1.1\r\nHost: allowed.test:GOOD\r\n\r\n",
                "GET http://allowed.test:GOOD/v1%2f..%2fadmin HTTP/1.1\r\nHost: allowed.test:GOOD\r\n\r\n",
                "GET http://allowed.test:GOOD/v1/%00 HTTP/1.1\r\nHost: allowed.test:GOOD\r\n\r\n",
                "GET http://allowed.test:GOOD/v1/x#y HTTP/1.1\r\nHost: allowed.test:GOOD\r\n\r\n",
                "GET http://allowed.test:GOOD/v1\\x HTTP/1.1\r\nHost: allowed.test:GOOD\r\n\r\n",
                "CONNECT allowed.test:GOOD HTTP/1.1\r\nHost: evil.test:EVIL\r\n\r\n"
            })
    void what_has_two_meanings_reaches_nobody(String request) {
        try (var stage = Stage.requests("allow net:OPTIONS=http://allowed.test:GOOD/**")) {
            assertThat(stage.ask(request)).matches("(?s)HTTP/1.1 40[03].*");
            assertThat(stage.good.connections()).isZero();
            assertThat(stage.evil.connections()).isZero();
        }
    }

    @Test
    void a_head_that_never_ends_is_cut_off() {
        try (var stage = Stage.requests()) {
            assertThat(
                            stage.ask(
                                    "GET http://allowed.test:GOOD/v1/x HTTP/1.1\r\nX: "
                                            + "x".repeat(17 * 1024)))
                    .startsWith("HTTP/1.1 400")
                    .contains("16384");
        }
    }

    @Test
    void without_the_token_there_is_nothing() {
        try (var stage = Stage.requests()) {
            assertThat(stage.askUnknown("CONNECT allowed.test:GOOD HTTP/1.1\r\n\r\n"))
                    .startsWith("HTTP/1.1 407");
            assertThat(
                            stage.askUnknown(
                                    "GET http://allowed.test:GOOD/v1/x HTTP/1.1\r\nProxy-Authorization: Basic d3JpdDp4\r\n"
                                            + HOST))
                    .startsWith("HTTP/1.1 407");
            assertThat(Stage.send(stage.egress.explicit().address(), "\5\1\0"))
                    .isEqualTo("\5\u00ff<END>");
            assertThat(Stage.send(stage.egress.explicit().address(), "\5\1\2\1\1w\1x"))
                    .isEqualTo("\5\2\1\1<END>");
            assertThat(stage.good.connections()).isZero();
        }
    }

    @Test
    void who_was_not_announced_is_sent_away() {
        try (var stage = Stage.requests("allow net:any.test:GOOD")) {
            assertThat(Stage.send(stage.egress.address(), "hello")).isEqualTo("<END>");
            assertThat(stage.good.connections()).isZero();
        }
    }

    @Test
    void without_rules_nothing_can_be_reached() {
        try (var stage = new Stage()) {
            assertThat(stage.ask("CONNECT evil.test:EVIL HTTP/1.1\r\n\r\n"))
                    .startsWith("HTTP/1.1 403");
            assertThat(
                            stage.ask(
                                    "GET http://evil.test:EVIL/ HTTP/1.1\r\nHost: evil.test:EVIL\r\n\r\n"))
                    .startsWith("HTTP/1.1 403");
            assertThat(stage.evil.connections()).isZero();
        }
    }

    @Test
    void hundreds_that_say_half_a_word_stop_nobody() throws IOException {
        try (var stage = Stage.requests();
                var other = Stage.requests()) {
            var flood = new java.util.ArrayList<Socket>();
            for (int i = 0; i < 200; i++) {
                var to = stage.egress.explicit().address();
                var socket = new Socket(to.getAddress(), to.getPort());
                socket.getOutputStream().write("CONN".getBytes(StandardCharsets.US_ASCII));
                flood.add(socket);
            }

            for (var each : List.of(stage, other)) {
                assertThat(each.ask("GET http://allowed.test:GOOD/v1/x HTTP/1.1\r\n" + HOST))
                        .startsWith(Stage.OK);
                assertThat(each.ask("CONNECT evil.test:EVIL HTTP/1.1\r\n\r\n"))
                        .startsWith("HTTP/1.1 403");
            }
            for (var socket : flood) {
                socket.close();
            }
        }
    }
}
