// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.broker.Approver;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngineResult;
import org.junit.jupiter.api.Test;

/// Connections that carry bytes, and those that carry TLS and nothing else.
class TunnelTest {
    /// A real ClientHello.
    static byte[] hello(String name) {
        try {
            var engine = SSLContext.getDefault().createSSLEngine();
            engine.setUseClientMode(true);
            var parameters = engine.getSSLParameters();
            if (!name.isEmpty()) {
                parameters.setServerNames(List.of(new SNIHostName(name)));
            }
            engine.setSSLParameters(parameters);
            var out = java.nio.ByteBuffer.allocate(32 * 1024);
            var result = engine.wrap(java.nio.ByteBuffer.allocate(0), out);
            assertThat(result.getStatus()).isEqualTo(SSLEngineResult.Status.OK);
            return java.util.Arrays.copyOf(out.array(), out.position());
        } catch (NoSuchAlgorithmException | javax.net.ssl.SSLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String latin(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private static Stage tls() {
        return new Stage("allow net:allow=https://allowed.test:GOOD", "allow net:127.0.0.1:GOOD");
    }

    @Test
    void bytes_pass_both_ways_and_are_recorded() throws IOException {
        try (var stage = new Stage("allow net:db.test:GOOD", "allow net:127.0.0.1:GOOD")) {
            try (var socket = stage.announce("db.test", stage.good.port())) {
                socket.getOutputStream().write("0 some bytes".getBytes(StandardCharsets.US_ASCII));
                assertThat(Stage.readUntil(socket, "bytes")).isEqualTo("0 some bytes");
                socket.shutdownOutput();
                assertThat(socket.getInputStream().read()).isEqualTo(-1);
            }
            Stage.await(() -> !stage.sent().isEmpty());
            var sent = stage.sent().getFirst();
            assertThat(sent.method()).isEmpty();
            assertThat(sent.scheme()).isEqualTo("tcp");
            assertThat(sent.up()).isEqualTo(12);
            assertThat(sent.down()).isEqualTo(12);
        }
    }

    @Test
    void much_passes_whole_although_one_side_is_slow() throws Exception {
        try (var stage = new Stage("allow net:db.test:GOOD", "allow net:127.0.0.1:GOOD");
                var socket = stage.announce("db.test", stage.good.port())) {
            var sent = new byte[16 * 1024 * 1024];
            new java.util.Random(7).nextBytes(sent);
            sent[0] = '0';
            var writer =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        try {
                                            socket.getOutputStream().write(sent);
                                            socket.shutdownOutput();
                                        } catch (IOException e) {
                                            throw new java.io.UncheckedIOException(e);
                                        }
                                    });
            socket.setSoTimeout(20_000);
            assertThat(socket.getInputStream().readAllBytes()).isEqualTo(sent);
            writer.join();
        }
    }

    @Test
    void tls_with_the_permitted_host_passes_also_in_pieces() throws IOException {
        try (var stage = tls();
                var socket = stage.announce("allowed.test", stage.good.port())) {
            byte[] hello = hello("allowed.test");
            for (byte b : hello) {
                socket.getOutputStream().write(b);
                socket.getOutputStream().flush();
            }
            socket.setSoTimeout(20_000);
            assertThat(socket.getInputStream().readNBytes(hello.length)).isEqualTo(hello);
        }
    }

    @Test
    void a_hello_cut_into_several_records_is_read() throws IOException {
        try (var stage = tls();
                var socket = stage.announce("allowed.test", stage.good.port())) {
            byte[] hello = hello("allowed.test");
            var cut = new java.io.ByteArrayOutputStream();
            for (int i = 5; i < hello.length; i += 50) {
                int n = Math.min(50, hello.length - i);
                cut.write(new byte[] {0x16, 3, 1, 0, (byte) n});
                cut.write(hello, i, n);
            }
            socket.getOutputStream().write(cut.toByteArray());
            socket.setSoTimeout(20_000);
            assertThat(socket.getInputStream().readNBytes(cut.size())).isEqualTo(cut.toByteArray());
        }
    }

    @Test
    void anything_but_tls_with_the_permitted_host_is_closed() {
        for (var bytes :
                List.of(
                        "SSH-2.0-x\r\n",
                        "GET / HTTP/1.1\r\nHost: allowed.test\r\n\r\n",
                        latin(hello("evil.test")),
                        latin(hello("")),
                        latin(hello("allowed.test.evil.test")),
                        "\u0016\u0003\u0001\0\u0005\u0002\0\0\u0001x")) {
            try (var stage = tls()) {
                assertThat(stage.announced("allowed.test", stage.good.port(), bytes))
                        .isEqualTo("<END>");
                assertThat(stage.good.heard()).isEmpty();
                Stage.await(() -> !stage.refusals().isEmpty());
                assertThat(stage.refusals().getFirst().code()).isEqualTo("egress.not-tls");
            }
        }
    }

    @Test
    void after_connect_the_same_holds() throws IOException {
        try (var stage = tls()) {
            var to = stage.egress.explicit().address();
            try (var socket = new Socket(to.getAddress(), to.getPort())) {
                String token = stage.egress.explicit().token();
                socket.getOutputStream()
                        .write(
                                stage.ports(
                                                "CONNECT allowed.test:GOOD HTTP/1.1\r\nProxy-Authorization: Bearer "
                                                        + token
                                                        + "\r\n\r\nSSH-2.0-x\r\n")
                                        .getBytes(StandardCharsets.US_ASCII));
                assertThat(Stage.readUntil(socket, "never")).endsWith("\r\n\r\n<END>");
                assertThat(stage.good.heard()).isEmpty();
            }
        }
    }

    @Test
    void tls_where_no_rule_speaks_of_any_is_refused() {
        try (var stage =
                new Stage(
                        "allow net:GET=http://allowed.test:GOOD/v1/**",
                        "allow net:127.0.0.1:GOOD")) {
            assertThat(
                            stage.announced(
                                    "allowed.test",
                                    stage.good.port(),
                                    latin(hello("allowed.test"))))
                    .isEqualTo("<END>");
            Stage.await(() -> !stage.refusals().isEmpty());
            assertThat(stage.refusals().getFirst().code()).isEqualTo("egress.not-inspected");
            assertThat(stage.good.connections()).isZero();
        }
    }

    @Test
    void while_one_waits_for_a_person_others_go_on() throws Exception {
        var asked = new CountDownLatch(1);
        var answer = new CountDownLatch(1);
        Approver approver =
                (_, _) -> {
                    asked.countDown();
                    try {
                        answer.await();
                    } catch (InterruptedException e) {
                        return new Approver.Answer.NotAsked("interrupted");
                    }
                    return new Approver.Answer.Approved("test");
                };
        try (var stage =
                        new Stage(
                                approver,
                                Bounds.DEFAULT,
                                "ask net:late.test:GOOD",
                                "allow net:db.test:GOOD",
                                "allow net:127.0.0.1:GOOD");
                var late = stage.connect("late.test", stage.good.port());
                var now = stage.announce("db.test", stage.good.port())) {
            asked.await();
            now.getOutputStream().write("0 now".getBytes(StandardCharsets.US_ASCII));
            assertThat(Stage.readUntil(now, "now")).isEqualTo("0 now");
            answer.countDown();
            assertThat(Stage.readUntil(late, "\r\n\r\n")).startsWith("HTTP/1.1 200 ");
            late.getOutputStream().write("0 late".getBytes(StandardCharsets.US_ASCII));
            assertThat(Stage.readUntil(late, "late")).isEqualTo("0 late");
        }
    }

    @Test
    void connections_beyond_the_bound_are_sent_away_and_room_comes_back() throws IOException {
        try (var stage =
                new Stage(
                        Approver.nobody(),
                        Bounds.DEFAULT.withConnections(1),
                        "allow net:db.test:GOOD",
                        "allow net:127.0.0.1:GOOD")) {
            try (var first = stage.announce("db.test", stage.good.port())) {
                first.getOutputStream().write("0 a".getBytes(StandardCharsets.US_ASCII));
                assertThat(Stage.readUntil(first, "a")).isEqualTo("0 a");
                assertThat(stage.announced("db.test", stage.good.port(), "0 b")).isEqualTo("<END>");
            }
            Stage.await(() -> !stage.sent().isEmpty());
            try (var next = stage.announce("db.test", stage.good.port())) {
                next.getOutputStream().write("0 c".getBytes(StandardCharsets.US_ASCII));
                assertThat(Stage.readUntil(next, "c")).isEqualTo("0 c");
            }
        }
    }

    @Test
    void socks_connects_by_name_and_address_and_does_nothing_else() throws IOException {
        try (var stage = new Stage("allow net:db.test:GOOD", "allow net:127.0.0.1:GOOD")) {
            var to = stage.egress.explicit().address();
            String token = stage.egress.explicit().token();
            String greeting = "\5\1\2\1\1w" + (char) token.length() + token;
            int port = stage.good.port();
            String at = "" + (char) (port >> 8) + (char) (port & 255);

            for (String address : List.of("\3\7db.test" + at, "\1\177\0\0\1" + at)) {
                try (var socket = new Socket(to.getAddress(), to.getPort())) {
                    socket.getOutputStream()
                            .write(
                                    (greeting + "\5\1\0" + address + "0 socks")
                                            .getBytes(StandardCharsets.ISO_8859_1));
                    assertThat(Stage.readUntil(socket, "socks"))
                            .isEqualTo("\5\2\1\0\5\0\0\1\0\0\0\0\0\0" + "0 socks");
                }
            }
            assertThat(Stage.send(to, greeting + "\5\2\0\3\7db.test" + at)).contains("\5\7");
            assertThat(Stage.send(to, greeting + "\5\3\0\3\7db.test" + at)).contains("\5\7");
            assertThat(Stage.send(to, greeting + "\5\1\0\3\11evil.test" + at)).contains("\5\2\0\1");
            assertThat(Stage.send(to, greeting + "\5\1\0\3\13db.test\r\nX:1" + at))
                    .contains("\5\1\0\1");
            assertThat(Stage.send(to, greeting + "\5\1\0\11db.test" + at)).contains("\5\10");
            assertThat(stage.evil.connections()).isZero();
        }
    }
}
