// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Connections to servers that go from one connection of a program to the next. Nobody must get
/// what was meant for another.
class KeptServersTest {
    private static final String GOOD = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nright";
    private static final String POISON = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong";

    private static String first(String head, String answer) {
        return head.contains(" /first") ? answer : GOOD;
    }

    private static Stage stage(Scripted server) {
        return new Stage("allow net:allow=http://127.0.0.1:" + server.port());
    }

    /// Over a connection of its own, that ends afterwards.
    private static String ask(Stage stage, Scripted server, String method, String path) {
        return stage.ask(
                "%1$s http://127.0.0.1:%2$d%3$s HTTP/1.1\r\nHost: 127.0.0.1:%2$d\r\nConnection: close\r\n\r\n"
                        .formatted(method, server.port(), path));
    }

    private static void askFirst(Stage stage, Scripted server, String method) {
        ask(stage, server, method, "/first");
        // ORDER: what the server says behind its answer has come, and so has the end of the
        // program.
        Stage.await(() -> !stage.sent().isEmpty() && server.saidAll());
        ask(stage, server, "GET", "/between");
    }

    private static List<String> heard(Scripted server, String path) {
        return server.heard().stream().filter(h -> h.endsWith(path)).toList();
    }

    @Test
    void programs_that_come_anew_find_the_connection_that_was_left() throws IOException {
        try (var server = new Scripted(_ -> GOOD);
                var stage = stage(server)) {
            for (int i = 0; i < 20; i++) {
                assertThat(ask(stage, server, "GET", "/" + i)).endsWith("right");
            }

            // There are two threads, each with its own, and the program may be faster than its end.
            assertThat(server.heard()).hasSize(20);
            assertThat(server.heard())
                    .as("%s", server.heard())
                    .anyMatch(h -> h.matches("1 GET /[1-9].*"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" + POISON,
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + POISON,
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Le",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokH",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
                        + Scripted.PAUSE
                        + "HTTP/1.1 200 OK\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
                        + Scripted.PAUSE
                        + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" + Scripted.PAUSE + "\r\n",
                "HTTP/1.1 204 No Content\r\n\r\n" + POISON,
                "HTTP/1.1 204 No Content\r\nContent-Length: 69\r\n\r\n" + POISON,
                "HTTP/1.1 304 Not Modified\r\nContent-Length: 69\r\n\r\n" + POISON,
                "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
                        + POISON,
                "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\n\r\nuntil the end" + Scripted.END,
                "HTTP/1.1 401 No\r\nWWW-Authenticate: NTLM\r\nContent-Length: 0\r\n\r\n"
            })
    void a_connection_on_which_anything_is_odd_is_not_used_by_another(String odd)
            throws IOException {
        try (var server = new Scripted(head -> first(head, odd));
                var stage = stage(server)) {
            askFirst(stage, server, "GET");

            for (int i = 0; i < 6; i++) {
                assertThat(ask(stage, server, "GET", "/next")).endsWith("right");
            }
            assertThat(heard(server, "/first")).containsExactly("1 GET /first");
            assertThat(heard(server, "/between")).noneMatch(h -> h.startsWith("1 "));
            assertThat(heard(server, "/next")).hasSize(6).noneMatch(h -> h.startsWith("1 "));
        }
    }

    @Test
    void an_answer_to_head_with_a_body_poisons_nothing() throws IOException {
        try (var server =
                        new Scripted(
                                head ->
                                        first(
                                                head,
                                                "HTTP/1.1 200 OK\r\nContent-Length: 69\r\n\r\n"
                                                        + POISON));
                var stage = stage(server)) {
            askFirst(stage, server, "HEAD");

            assertThat(ask(stage, server, "GET", "/next")).endsWith("right");
            assertThat(heard(server, "/next")).noneMatch(h -> h.startsWith("1 "));
        }
    }

    @Test
    void a_server_that_ended_a_connection_meanwhile_is_asked_anew() throws IOException {
        try (var server = new Scripted(_ -> GOOD + Scripted.END);
                var stage = stage(server)) {
            for (int i = 0; i < 10; i++) {
                assertThat(ask(stage, server, "GET", "/" + i)).endsWith("right");
            }
        }
    }

    @Test
    void what_must_not_be_sent_twice_gets_a_connection_of_its_own() throws IOException {
        try (var server = new Scripted(_ -> GOOD);
                var stage = stage(server)) {
            for (int i = 0; i < 6; i++) {
                assertThat(ask(stage, server, "GET", "/get")).endsWith("right");
                assertThat(ask(stage, server, "POST", "/post" + i)).endsWith("right");
            }

            var posts = server.heard().stream().filter(h -> h.contains("POST")).toList();
            assertThat(posts.stream().map(h -> h.split(" ")[0]).distinct()).hasSize(6);
        }
    }

    @Test
    void an_answer_ahead_of_the_end_of_its_request_leaves_no_connection() throws IOException {
        try (var server = new Scripted(_ -> GOOD);
                var stage = stage(server)) {
            stage.ask(
                    "POST http://127.0.0.1:%1$d/first HTTP/1.1\r\nHost: 127.0.0.1:%1$d\r\nContent-Length: 90\r\n\r\nGET"
                            .formatted(server.port()));
            Stage.await(() -> !stage.sent().isEmpty());

            for (int i = 0; i < 6; i++) {
                assertThat(ask(stage, server, "GET", "/next")).endsWith("right");
            }
            assertThat(heard(server, "/next")).hasSize(6).noneMatch(h -> h.startsWith("1 "));
        }
    }

    @Test
    void sessions_have_their_own() throws IOException {
        try (var server = new Scripted(_ -> GOOD);
                var one = stage(server);
                var other = stage(server)) {
            for (int i = 0; i < 6; i++) {
                assertThat(ask(one, server, "GET", "/one")).endsWith("right");
                assertThat(ask(other, server, "GET", "/other")).endsWith("right");
            }

            var used = heard(server, "/one").stream().map(h -> h.split(" ")[0]).toList();
            assertThat(heard(server, "/other").stream().map(h -> h.split(" ")[0]))
                    .doesNotContainAnyElementsOf(used);
        }
    }
}
