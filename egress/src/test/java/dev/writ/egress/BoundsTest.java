// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.broker.Approver;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// No session has more of its proxy than it may, and none can keep it from others.
@Timeout(120)
class BoundsTest {
    private static final String[] RULES = {
        "allow net:http://allowed.test:GOOD/**",
        "allow net:http://other.test:GOOD/**",
        "allow net:db.test:GOOD",
        "allow net:127.0.0.1:GOOD"
    };

    private static Stage stage(Bounds bounds) {
        return new Stage(Approver.nobody(), bounds, RULES);
    }

    private static String get(String host) {
        return "GET http://%s:GOOD/v1/x HTTP/1.1\r\nHost: %s:GOOD\r\n\r\n".formatted(host, host);
    }

    private static boolean ends(Socket socket) throws IOException {
        socket.setSoTimeout(20_000);
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    void requests_in_a_minute() {
        try (var stage = stage(Bounds.DEFAULT.withAmounts(3, 0, 0))) {
            for (int i = 0; i < 3; i++) {
                assertThat(stage.ask(get("allowed.test"))).startsWith(Stage.OK);
            }
            assertThat(stage.ask(get("allowed.test")))
                    .startsWith("HTTP/1.1 429")
                    .contains("more than 3 requests in a minute");
            assertThat(stage.good.heads()).hasSize(3);
        }
    }

    @Test
    void bytes_in_all_and_for_each_destination() throws IOException {
        try (var stage = stage(Bounds.DEFAULT.withAmounts(0, 0, 1000))) {
            String answer = stage.ask(get("allowed.test"));
            for (int i = 0; i < 20 && answer.startsWith(Stage.OK); i++) {
                answer = stage.ask(get("allowed.test"));
            }
            assertThat(stage.good.heads()).hasSizeBetween(2, 19);
            assertThat(stage.ask(get("allowed.test")))
                    .startsWith("HTTP/1.1 429")
                    .contains("1000 bytes with allowed.test");
            assertThat(stage.ask(get("other.test"))).startsWith(Stage.OK);
            Stage.await(() -> stage.refusals().size() == 1);
            assertThat(stage.refusals().getFirst().code()).isEqualTo("egress.limit");
        }
        try (var stage = stage(Bounds.DEFAULT.withAmounts(0, 3000, 0));
                var tunnel = stage.announce("db.test", stage.good.port())) {
            tunnel.getOutputStream().write(new byte[10_000]);
            assertThat(ends(tunnel)).isTrue();
            assertThat(stage.good.heard().length()).isLessThanOrEqualTo(3000);
            assertThat(stage.ask(get("other.test"))).startsWith("HTTP/1.1 429");
        }
    }

    @Test
    void silence_ends_a_connection_and_a_tunnel() throws IOException {
        var bounds = Bounds.DEFAULT.withIdle(Duration.ofMillis(300), Duration.ofMillis(300));
        try (var stage = stage(bounds);
                var requests = stage.announce("allowed.test", stage.good.port());
                var tunnel = stage.announce("db.test", stage.good.port())) {
            String request = stage.ports("GET /v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\n\r\n");
            assertThat(Stage.exchange(requests, request)).startsWith(Stage.OK);
            assertThat(Stage.exchange(tunnel, request)).startsWith(Stage.OK);
            assertThat(ends(requests)).isTrue();
            assertThat(ends(tunnel)).isTrue();
        }
    }

    /// One byte now and then is not silence, but a head has to come to its end.
    @Test
    void a_head_that_trickles_is_cut_off() throws Exception {
        var quick = Duration.ofMillis(500);
        try (var stage = stage(Bounds.DEFAULT.withTimes(quick, quick, Duration.ofSeconds(5)));
                var head = stage.announce("allowed.test", stage.good.port());
                var nothing = stage.announce("allowed.test", stage.good.port())) {
            var trickle = CompletableFuture.runAsync(() -> trickle(head));
            assertThat(ends(head)).isTrue();
            assertThat(ends(nothing)).isTrue();
            trickle.join();
            assertThat(stage.good.heads()).isEmpty();
        }
    }

    private static void trickle(Socket socket) {
        try {
            socket.getOutputStream().write("GET /v1/".getBytes(StandardCharsets.US_ASCII));
            for (int i = 0; i < 200 && !socket.isClosed(); i++) {
                socket.getOutputStream().write('x');
                Thread.sleep(100);
            }
        } catch (IOException | InterruptedException e) {
            // cut off
        }
    }

    @Test
    void a_body_that_stops_is_given_up() throws IOException {
        try (var stage =
                        stage(
                                Bounds.DEFAULT.withIdle(
                                        Duration.ofMillis(300), Duration.ofHours(1)));
                var socket = stage.announce("allowed.test", stage.good.port())) {
            String head =
                    stage.ports(
                            "POST /v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\nContent-Length: 100\r\n\r\nabc");
            socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            assertThat(ends(socket)).isTrue();
        }
    }

    /// Bodies that are judged by what is in them are kept until they are whole.
    @Test
    void bodies_that_are_kept_have_a_bound_together() throws IOException {
        int most = Usage.MOST_HELD / ToolCalls.MOST_BYTES;
        var body = "a".repeat(ToolCalls.MOST_BYTES - 1).getBytes(StandardCharsets.US_ASCII);
        var open = new ArrayList<Socket>();
        try (var stage =
                new Stage(
                        "allow net:POST=http://allowed.test:GOOD/**",
                        "allow tool:mcp/allowed.test/**",
                        "allow net:127.0.0.1:GOOD")) {
            String head =
                    stage.ports(
                            "POST /mcp HTTP/1.1\r\nHost: allowed.test:GOOD\r\nContent-Length: ");
            for (int i = 0; i <= most; i++) {
                var socket = stage.announce("allowed.test", stage.good.port());
                open.add(socket);
                socket.getOutputStream()
                        .write(
                                (head + ToolCalls.MOST_BYTES + "\r\n\r\n")
                                        .getBytes(StandardCharsets.US_ASCII));
                socket.getOutputStream().write(body);
            }
            Stage.await(() -> open.stream().anyMatch(BoundsTest::isAnswered));
            var answered = open.stream().filter(BoundsTest::isAnswered).toList();
            assertThat(answered).hasSize(1);
            assertThat(Stage.readUntil(answered.getFirst(), "\r\n")).startsWith("HTTP/1.1 429");

            for (var socket : open) {
                socket.close();
            }
            Stage.await(() -> isNothingHeld(stage.service().usage()));
        }
    }

    private static boolean isNothingHeld(Usage usage) {
        boolean may = usage.hold(Usage.MOST_HELD);
        if (may) {
            usage.release(Usage.MOST_HELD);
        }
        return may;
    }

    private static boolean isAnswered(Socket socket) {
        try {
            return socket.getInputStream().available() > 0;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void a_head_has_at_most_so_many_bytes() {
        try (var stage = stage(Bounds.DEFAULT)) {
            String small = "X: " + "x".repeat(15_000) + "\r\n\r\n";
            assertThat(stage.ask(get("allowed.test").replaceFirst("\r\n\r\n$", "\r\n" + small)))
                    .startsWith(Stage.OK);
            String large = "X: " + "x".repeat(17_000) + "\r\n\r\n";
            assertThat(stage.ask(get("allowed.test").replaceFirst("\r\n\r\n$", "\r\n" + large)))
                    .startsWith("HTTP/1.1 400");
            assertThat(stage.good.heads()).hasSize(1);
        }
    }

    @Test
    void who_expects_to_be_told_to_continue_is_told_no() throws IOException {
        try (var stage = new Stage("allow net:GET=http://allowed.test:GOOD/**");
                var socket = stage.announce("allowed.test", stage.good.port())) {
            assertThat(
                            Stage.exchange(
                                    socket,
                                    stage.ports(
                                            "POST /v1/x HTTP/1.1\r\nHost: allowed.test:GOOD\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n")))
                    .startsWith("HTTP/1.1 403");
            assertThat(ends(socket)).as("what follows would be a body, or would not").isTrue();
        }
    }

    /// A server that ends a kept connection between two requests.
    @Test
    void a_request_that_changes_nothing_is_repeated_on_a_new_connection_and_no_other()
            throws Exception {
        try (var server = new OneEach();
                var stage =
                        new Stage(
                                "allow net:http://allowed.test:" + server.port() + "/**",
                                "allow net:127.0.0.1:" + server.port())) {
            for (var method : List.of("GET", "POST")) {
                try (var socket = stage.announce("allowed.test", server.port())) {
                    String request =
                            "%s /a HTTP/1.1\r\nHost: allowed.test:%d\r\nContent-Length: 0\r\n\r\n"
                                    .formatted(method, server.port());
                    assertThat(Stage.exchange(socket, request)).startsWith(Stage.OK);
                    assertThat(Stage.exchange(socket, request))
                            .as(method)
                            .startsWith(method.equals("GET") ? Stage.OK : "HTTP/1.1 502");
                }
            }
        }
    }

    /// Answers one request on each connection, says that it keeps it, and ends it when another
    /// comes.
    private static final class OneEach implements AutoCloseable {
        private final ServerSocket socket =
                new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

        OneEach() throws IOException {
            Thread.ofVirtual().start(this::serve);
        }

        int port() {
            return socket.getLocalPort();
        }

        private void serve() {
            try {
                while (true) {
                    var connection = socket.accept();
                    Thread.ofVirtual().start(() -> serve(connection));
                }
            } catch (IOException e) {
                // closed
            }
        }

        private static void serve(Socket connection) {
            try (connection) {
                Stage.readUntil(connection, "\r\n\r\n");
                connection
                        .getOutputStream()
                        .write(
                                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
                                        .getBytes(StandardCharsets.US_ASCII));
                Stage.readUntil(connection, "\r\n\r\n");
            } catch (IOException e) {
                // gone
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /// What the program does not take stays at the server, not with us.
    @Test
    void a_slow_reader_holds_up_its_server_and_fills_no_memory() throws Exception {
        var written = new AtomicLong();
        try (var server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                var stage =
                        new Stage(
                                "allow net:http://allowed.test:" + server.getLocalPort() + "/**",
                                "allow net:127.0.0.1:" + server.getLocalPort())) {
            Thread.ofPlatform().daemon().start(() -> pour(server, written));
            try (var slow = stage.announce("allowed.test", server.getLocalPort())) {
                slow.getOutputStream()
                        .write(
                                "GET /big HTTP/1.1\r\nHost: allowed.test:%d\r\n\r\n"
                                        .formatted(server.getLocalPort())
                                        .getBytes(StandardCharsets.US_ASCII));
                slow.getInputStream().readNBytes(100_000);
                long before = -1;
                for (int i = 0; i < 300 && before != written.get(); i++) {
                    before = written.get();
                    Thread.sleep(100); // until nothing more is taken
                }
                assertThat(written.get())
                        .as("of a gigabyte, what fits into the buffers of two connections")
                        .isBetween(100_000L, 64L << 20);
                assertThat(stage.ask(get("allowed.test").replace("GOOD", "1")))
                        .as("others go on")
                        .startsWith("HTTP/1.1 ");
                slow.getInputStream().skipNBytes(200_000_000);
                assertThat(written.get()).isGreaterThan(200_000_000);
            }
        }
    }

    private static void pour(ServerSocket server, AtomicLong written) {
        try (var connection = server.accept()) {
            Stage.readUntil(connection, "\r\n\r\n");
            OutputStream out = connection.getOutputStream();
            out.write(
                    "HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            var piece = new byte[65536];
            for (int i = 0; i < 16384; i++) {
                out.write(piece);
                written.addAndGet(piece.length);
            }
        } catch (IOException e) {
            // the program is gone
        }
    }

    @Test
    void one_session_does_not_keep_another_waiting() throws Exception {
        try (var greedy = stage(Bounds.DEFAULT.withConnections(50));
                var other = stage(Bounds.DEFAULT)) {
            var held = new ArrayList<Socket>();
            for (int i = 0; i < 60; i++) {
                var socket = greedy.announce("allowed.test", greedy.good.port());
                socket.getOutputStream().write("GET /half".getBytes(StandardCharsets.US_ASCII));
                held.add(socket);
            }
            // It has had its share, as soon as the proxy has taken what came before this.
            Stage.await(() -> greedy.ask(get("allowed.test")).equals("<END>"));
            for (int i = 0; i < 50; i++) {
                assertThat(other.ask(get("allowed.test"))).startsWith(Stage.OK);
            }
            for (var socket : held) {
                socket.close();
            }
        }
    }

    /// Anybody on the machine can open connections to the port, who does not know the token.
    @Test
    void strangers_take_nothing_of_what_a_session_may_have() throws Exception {
        try (var stage = stage(Bounds.DEFAULT.withConnections(2))) {
            var held = new ArrayList<Socket>();
            var to = stage.egress.explicit().address();
            for (int i = 0; i < 300; i++) {
                held.add(new Socket(to.getAddress(), to.getPort()));
                if (i % 2 == 0) {
                    String begun = i % 4 == 0 ? "GET /half" : "\5\1\2";
                    held.getLast()
                            .getOutputStream()
                            .write(begun.getBytes(StandardCharsets.US_ASCII));
                }
            }
            assertThat(stage.ask(get("allowed.test"))).startsWith(Stage.OK);
            assertThat(held.getFirst().getInputStream().read()).as("the oldest").isNegative();
            for (var socket : held) {
                socket.close();
            }
            try (var one = tunnel(stage);
                    var two = tunnel(stage)) {
                assertThat(one.isClosed() || two.isClosed()).isFalse();
                assertThat(stage.ask(get("allowed.test"))).isEqualTo("<END>");
            }
            Stage.await(() -> stage.ask(get("allowed.test")).startsWith(Stage.OK));
        }
    }

    /// A tunnel that has its place, which one before it may not have given back yet.
    private static Socket tunnel(Stage stage) throws Exception {
        for (int i = 0; i < 1000; i++) {
            var socket = stage.connect("db.test", stage.good.port());
            if (socket.getInputStream().read() == 'H') {
                return socket;
            }
            socket.close();
            Thread.sleep(10);
        }
        throw new AssertionError("there was never a place");
    }
}
