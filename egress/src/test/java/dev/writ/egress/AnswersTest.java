// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/// How answers get to the program: whole, as soon as they come, and in no more pieces than they
/// came in.
class AnswersTest {
    private static final String HEAD = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";

    private static Stage stage(Scripted server) {
        return new Stage("allow net:allow=http://127.0.0.1:" + server.port());
    }

    private static Socket ask(Stage stage, Scripted server) throws IOException {
        var socket = stage.announce("127.0.0.1", server.port());
        socket.setSoTimeout(20_000);
        String request =
                "GET / HTTP/1.1\r\nHost: 127.0.0.1:"
                        + server.port()
                        + "\r\nConnection: close\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    /// Each piece would wake the program.
    @Test
    void what_came_at_once_goes_on_at_once() throws IOException {
        try (var server = new Scripted(_ -> HEAD + "right");
                var stage = stage(server)) {
            for (int i = 0; i < 50; i++) {
                try (var socket = ask(stage, server)) {
                    byte[] bytes = new byte[4096];
                    int n = socket.getInputStream().read(bytes);

                    assertThat(new String(bytes, 0, n, StandardCharsets.US_ASCII))
                            .endsWith("right");
                }
            }
        }
    }

    /// Before the rest comes, which may be never.
    @Test
    void the_beginning_of_an_answer_does_not_wait_for_its_end() throws IOException {
        try (var server = new Scripted(_ -> HEAD + "rig");
                var stage = stage(server);
                var socket = ask(stage, server)) {
            assertThat(Stage.readUntil(socket, "rig")).startsWith("HTTP/1.1 200 OK");
        }
    }

    /// It waits in the proxy while nobody reads, and so does its end.
    @Test
    void a_large_answer_that_its_server_has_ended_arrives_whole() throws Exception {
        String large = "x".repeat(8_000_000);
        try (var server = new Scripted(_ -> "HTTP/1.1 200 OK\r\n\r\n" + large + Scripted.END);
                var stage = stage(server);
                var socket = ask(stage, server)) {
            Thread.sleep(300);
            String head = Stage.readUntil(socket, "\r\n\r\n");
            var answer =
                    head
                            + new String(
                                    socket.getInputStream().readAllBytes(),
                                    StandardCharsets.US_ASCII);

            assertThat(answer.chars().filter(c -> c == 'x').count()).isEqualTo(large.length());
        }
    }
}
