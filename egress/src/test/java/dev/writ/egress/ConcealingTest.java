// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.capability.Action;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Secrets on their way out and back, over real connections.
class ConcealingTest {
    private static final String AT = "Host: allowed.test:GOOD\r\n";
    private static final String VALUE = "hush".repeat(8);
    private static final Map<String, List<String>> HEADER =
            Map.of("hush", List.of("https://allowed.test:GOOD", "Authorization: Bearer {}"));
    private static final Map<String, List<String>> FIELD =
            Map.of("hush", List.of("https://allowed.test:GOOD", "body key={}"));

    @TempDir private Path folder;

    @Test
    void the_server_gets_the_value_and_the_program_only_asterisks() {
        try (var secure = new SecureStage(folder, HEADER)) {
            String answer = secure.ask("GET /v1/head HTTP/1.1\r\n" + AT + "\r\n");

            assertThat(secure.stage.good.heads().getFirst())
                    .containsIgnoringCase("authorization: Bearer " + VALUE);
            assertThat(answer).startsWith(Stage.OK).doesNotContain(VALUE);
            assertThat(answer.split("Bearer \\*{32}", -1))
                    .as("in a header and in the body")
                    .hasSize(3);
        }
    }

    /// The server waits for an answer to what it has said, and its last byte is the first of the
    /// secret.
    @Test
    void what_may_become_a_secret_is_not_kept_back_for_ever() throws IOException {
        try (var secure = new SecureStage(folder, HEADER);
                var socket = secure.connect()) {
            String request = secure.stage.ports("GET /v1/pause HTTP/1.1\r\n" + AT + "\r\n");
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            assertThat(Stage.readUntil(socket, "next, h")).endsWith("what next, h");
        }
    }

    @Test
    void the_record_has_its_name_and_nothing_of_its_value() {
        try (var secure =
                new SecureStage(
                        folder, Map.of("hush", List.of("https://allowed.test:GOOD", "?key={}")))) {
            secure.ask("GET /v1/a?b=c HTTP/1.1\r\n" + AT + "\r\n");
            Stage.await(() -> !secure.stage.sent().isEmpty());

            assertThat(secure.stage.good.heads().getFirst()).contains("/v1/a?b=c&key=" + VALUE);
            assertThat(secure.stage.sent().getFirst().secret()).isEqualTo("hush");
            assertThat(secure.stage.sent().getFirst().path()).isEqualTo("/v1/a?b=c");
            assertThat(secure.stage.log.events().toString()).doesNotContain(VALUE);
        }
    }

    @Test
    void a_program_may_say_where_it_goes() {
        try (var secure = new SecureStage(folder, HEADER)) {
            String mark = secure.stage.placeholder("hush");
            secure.ask("GET /v1/a HTTP/1.1\r\n" + AT + "Authorization: token " + mark + "\r\n\r\n");
            assertThat(secure.stage.good.heads().getFirst()).contains("token " + VALUE);
        }
    }

    @Test
    void in_any_other_place_it_is_refused() {
        try (var secure = new SecureStage(folder, HEADER)) {
            String mark = secure.stage.placeholder("hush");
            for (var request :
                    List.of(
                            "GET /v1/" + mark + " HTTP/1.1\r\n" + AT + "\r\n",
                            "GET /v1/a HTTP/1.1\r\n" + AT + "X-Other: " + mark + "\r\n\r\n",
                            "POST /v1/a HTTP/1.1\r\n"
                                    + AT
                                    + "Content-Length: "
                                    + mark.length()
                                    + "\r\n\r\n"
                                    + mark,
                            "POST /v1/a HTTP/1.1\r\n"
                                    + AT
                                    + "Transfer-Encoding: chunked\r\n\r\n5\r\n"
                                    + mark.substring(0, 5)
                                    + "\r\n"
                                    + Integer.toHexString(mark.length() - 5)
                                    + "\r\n"
                                    + mark.substring(5)
                                    + "\r\n0\r\n\r\n")) {
                assertThat(secure.ask(request))
                        .as(request)
                        .startsWith("HTTP/1.1 403")
                        .contains("in another place than");
            }
            Stage.await(() -> secure.stage.refusals().size() == 4);
            assertThat(secure.stage.refusals())
                    .allSatisfy(
                            r -> {
                                assertThat(r.code()).isEqualTo("secret.misplaced");
                                assertThat(r.action()).isInstanceOf(Action.UseSecret.class);
                            });
            assertThat(secure.stage.good.heard()).doesNotContain(mark);
        }
    }

    @Test
    void it_goes_to_no_other_destination_not_even_as_a_placeholder() {
        try (var secure =
                new SecureStage(
                        folder,
                        HEADER,
                        "allow net:POST=http://plain.test:EVIL/**",
                        "allow net:127.0.0.1:EVIL")) {
            var stage = secure.stage;
            String mark = stage.placeholder("hush");
            assertThat(
                            stage.ask(
                                    "POST http://plain.test:EVIL/a HTTP/1.1\r\nHost: plain.test:EVIL\r\nContent-Length: 2\r\n\r\nok"))
                    .startsWith(Stage.OK);
            assertThat(
                            stage.ask(
                                    "POST http://plain.test:EVIL/a HTTP/1.1\r\nHost: plain.test:EVIL\r\nAuthorization: Bearer "
                                            + mark
                                            + "\r\nContent-Length: 2\r\n\r\nok"))
                    .startsWith("HTTP/1.1 403")
                    .contains("which is for https://allowed.test:" + stage.good.port() + " only");
            assertThat(stage.evil.heard()).doesNotContain(VALUE).doesNotContain(mark);
        }
    }

    @Test
    void a_use_that_a_rule_denies_is_none() {
        try (var secure =
                new SecureStage(folder, HEADER, "deny secret:hush@https://allowed.test:GOOD")) {
            assertThat(secure.ask("GET /v1/a HTTP/1.1\r\n" + AT + "\r\n")).startsWith(Stage.OK);
            assertThat(secure.stage.good.heard()).doesNotContain(VALUE);
        }
    }

    @Test
    void a_field_of_a_body_is_filled_and_the_length_is_right() {
        try (var secure = new SecureStage(folder, FIELD)) {
            String body = "a=b&key=" + secure.stage.placeholder("hush");
            String head =
                    "POST /v1/a HTTP/1.1\r\n"
                            + AT
                            + "Content-Type: application/x-www-form-urlencoded\r\n";
            String filled = "/v1/a a=b&key=" + "*".repeat(32);
            assertThat(secure.ask(head + "Content-Length: " + body.length() + "\r\n\r\n" + body))
                    .startsWith(Stage.OK)
                    .endsWith(filled);
            assertThat(
                            secure.ask(
                                    head
                                            + "Transfer-Encoding: chunked\r\n\r\n"
                                            + Integer.toHexString(body.length())
                                            + "\r\n"
                                            + body
                                            + "\r\n0\r\n\r\n"))
                    .endsWith(filled);
            assertThat(secure.stage.good.heard()).contains("a=b&key=" + VALUE);
        }
    }

    @Test
    void a_body_that_is_too_large_for_that_is_refused() {
        try (var secure = new SecureStage(folder, FIELD)) {
            assertThat(
                            secure.ask(
                                    "POST /v1/a HTTP/1.1\r\n"
                                            + AT
                                            + "Content-Length: 1100000\r\n\r\n"
                                            + "x".repeat(1_100_000)))
                    .startsWith("HTTP/1.1 400")
                    .contains("at most 1048576 bytes");
            assertThat(secure.stage.good.heard()).isEmpty();
        }
    }

    @Test
    void an_answer_that_cannot_be_looked_through_does_not_arrive() {
        try (var secure = new SecureStage(folder, HEADER)) {
            assertThat(secure.ask("GET /v1/packed HTTP/1.1\r\n" + AT + "\r\n"))
                    .startsWith("HTTP/1.1 502")
                    .contains("packed");
        }
    }

    @Test
    void the_frames_of_a_web_socket_are_looked_through_too() throws IOException {
        try (var secure = new SecureStage(folder, HEADER);
                var socket = secure.connect()) {
            assertThat(
                            Stage.exchange(
                                    socket,
                                    secure.stage.ports(
                                            "GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n"
                                                    + AT
                                                    + "\r\n")))
                    .startsWith("HTTP/1.1 101");
            var out = socket.getOutputStream();
            out.write(frame("hello"));
            // A server may send what it likes, so this one sends frames back as they come: masked.
            // Such a frame from a server is an error, and the connection ends.
            assertThat(Stage.readUntil(socket, "hello")).isEqualTo("<END>");
            assertThat(secure.stage.good.heads()).hasSize(1);
        }
    }

    private static byte[] frame(String text) {
        var bytes = text.getBytes(StandardCharsets.US_ASCII);
        var frame = new byte[6 + bytes.length];
        frame[0] = (byte) 0x81;
        frame[1] = (byte) (0x80 | bytes.length);
        System.arraycopy(bytes, 0, frame, 6, bytes.length);
        return frame;
    }
}
