// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.broker.Approver;
import dev.writ.core.capability.Host;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Requests inside TLS.
class InspectedTest {
    private static final String AT = "Host: allowed.test:GOOD\r\n\r\n";

    @TempDir private Path folder;

    @Test
    void each_request_is_judged_also_on_a_connection_that_is_kept() throws Exception {
        try (var secure = new SecureStage(folder, Map.of());
                var socket = secure.connect()) {
            var stage = secure.stage;
            assertThat(Stage.exchange(socket, stage.ports("GET /v1/a HTTP/1.1\r\n" + AT)))
                    .startsWith(Stage.OK)
                    .endsWith("/v1/a ");
            assertThat(Stage.exchange(socket, stage.ports("DELETE /v1/a HTTP/1.1\r\n" + AT)))
                    .startsWith("HTTP/1.1 403")
                    .contains(
                            "\"capability\":\"net:DELETE=https://allowed.test:"
                                    + stage.good.port());
            assertThat(Stage.exchange(socket, stage.ports("GET /v1/../etc HTTP/1.1\r\n" + AT)))
                    .doesNotStartWith(Stage.OK);
        }
    }

    @Test
    void many_requests_on_one_connection_use_one_connection_to_the_server() throws Exception {
        try (var secure = new SecureStage(folder, Map.of());
                var socket = secure.connect()) {
            for (int i = 0; i < 5; i++) {
                assertThat(
                                Stage.exchange(
                                        socket,
                                        secure.stage.ports("GET /v1/" + i + " HTTP/1.1\r\n" + AT)))
                        .endsWith("/v1/" + i + " ");
            }
            assertThat(secure.stage.good.connections()).isEqualTo(1);
        }
    }

    @Test
    void bodies_pass_both_ways() {
        try (var secure = new SecureStage(folder, Map.of())) {
            assertThat(
                            secure.ask(
                                    "POST /v1/a HTTP/1.1\r\nHost: allowed.test:GOOD\r\nContent-Length: 5\r\n\r\nhello"))
                    .endsWith("/v1/a hello");
            assertThat(
                            secure.ask(
                                    "POST /v1/a HTTP/1.1\r\nHost: allowed.test:GOOD\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"))
                    .endsWith("/v1/a hello");
        }
    }

    @Test
    void a_web_socket_passes_inside() throws Exception {
        try (var secure = new SecureStage(folder, Map.of());
                var socket = secure.connect()) {
            assertThat(
                            Stage.exchange(
                                    socket,
                                    secure.stage.ports(
                                            "GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n"
                                                    + AT)))
                    .startsWith("HTTP/1.1 101");
            socket.getOutputStream().write("\1ping".getBytes(StandardCharsets.US_ASCII));
            assertThat(Stage.readUntil(socket, "ping")).isEqualTo("\1ping");
        }
    }

    @Test
    void all_that_say_for_whom_it_is_must_agree() throws Exception {
        try (var secure = new SecureStage(folder, Map.of())) {
            assertThat(secure.ask("GET /v1/a HTTP/1.1\r\nHost: evil.test\r\n\r\n"))
                    .startsWith("HTTP/1.1 400");
            assertThatThrownBy(
                            () ->
                                    secure.connect(
                                            "evil.test",
                                            secure.stage.egress.authority().orElseThrow()))
                    .isInstanceOf(IOException.class);
            Stage.await(() -> codes(secure.stage).contains(Refusals.NOT_TLS));
            assertThat(secure.stage.good.heard()).isEmpty();
        }
    }

    @Test
    void a_program_that_trusts_others_only_does_not_get_through() {
        try (var secure = new SecureStage(folder, Map.of())) {
            assertThatThrownBy(() -> secure.connect(SecureStage.HOST, secure.outside.pem()))
                    .isInstanceOf(SSLException.class);
            Stage.await(() -> codes(secure.stage).contains(Refusals.NOT_TRUSTED));
            assertThat(secure.stage.good.connections()).isZero();
        }
    }

    @Test
    void a_server_that_cannot_prove_who_it_is_hears_nothing() {
        try (var secure = new SecureStage(folder, "evil.test", Map.of())) {
            assertThat(secure.ask("GET /v1/a HTTP/1.1\r\n" + AT))
                    .startsWith("HTTP/1.1 502")
                    .contains("TLS with allowed.test:")
                    .contains("allowed.test found");
            assertThat(secure.stage.good.heard()).isEmpty();
        }
    }

    @Test
    void a_server_of_an_unknown_authority_hears_nothing() {
        try (var secure = new SecureStage(folder, Map.of());
                var unknown =
                        new Stage(
                                secure.stage.good,
                                List.of(),
                                Map.of(),
                                Approver.nobody(),
                                Bounds.DEFAULT,
                                "allow net:GET=https://allowed.test:GOOD/v1/**",
                                "allow net:127.0.0.1:GOOD")) {
            assertThat(unknown.egress.authority()).isPresent();
            assertThat(SecureStage.ask(unknown, "GET /v1/a HTTP/1.1\r\n" + AT))
                    .startsWith("HTTP/1.1 502")
                    .contains("TLS with allowed.test:");
            assertThat(secure.stage.good.heard()).isEmpty();
        }
    }

    @Test
    void nothing_of_it_is_there_if_no_rule_wants_it() {
        try (var plain =
                new Stage(
                        "allow net:allow=https://allowed.test:GOOD",
                        "allow net:GET=http://plain.test/v1")) {
            assertThat(plain.egress.authority()).isEmpty();
            assertThat(plain.egress.replacesFiles()).isFalse();
            assertThat(plain.egress.environment()).isEmpty();
        }
    }

    @Test
    void what_went_through_is_written_down() {
        try (var secure = new SecureStage(folder, Map.of())) {
            secure.ask("GET /v1/a?b=c HTTP/1.1\r\n" + AT);
            Stage.await(() -> !secure.stage.sent().isEmpty());
            var sent = secure.stage.sent().getFirst();
            assertThat(List.of(sent.scheme(), sent.method(), sent.path(), sent.status()))
                    .isEqualTo(List.of("https", "GET", "/v1/a?b=c", 200));
            assertThat(sent.host()).isEqualTo(Host.parse("allowed.test", 0).toString());
        }
    }

    private static List<String> codes(Stage stage) {
        return stage.refusals().stream().map(AuditEvent.Judged::code).toList();
    }
}
