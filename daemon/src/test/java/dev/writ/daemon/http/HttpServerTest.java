// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What strangers can do to the others.
class HttpServerTest {
    private static final Duration SHORT = Duration.ofMillis(500);
    private static final String KNOWN = "GET /own HTTP/1.1\r\nhost: h\r\n\r\n";
    private static final String PUBLIC = "GET /all HTTP/1.1\r\nhost: h\r\n\r\n";

    private final ArrayList<Socket> open = new ArrayList<>();
    private HttpServer server = new HttpServer(new Greeting(), SHORT);
    private int port;

    private record Greeting() implements Handler {
        @Override
        public void handle(Head head, InputStream body, Response response) throws IOException {
            if (!head.target().equals("/unread")) {
                body.readAllBytes();
            }
            response.send(200, Map.of(), "hello".getBytes(US_ASCII));
        }

        @Override
        public byte[] refusal(int status, String why) {
            return new byte[0];
        }
    }

    /// Knows who asks for `/own` or `/unread`, and lets everybody see `/all`.
    private record Halfway() implements Door {
        @Override
        public boolean admits(SocketChannel channel) {
            return true;
        }

        @Override
        public boolean check(Head head) {
            return !head.target().equals("/all");
        }
    }

    @BeforeEach
    void listen() throws IOException {
        var listener = ServerSocketChannel.open();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 4096);
        port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
        server.open(listener, new Halfway());
    }

    @AfterEach
    void close() throws IOException {
        server.close();
        for (var socket : open) {
            socket.close();
        }
    }

    private Socket connect() throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(10_000);
        open.add(socket);
        return socket;
    }

    private static String ask(Socket socket, String request) throws IOException {
        socket.getOutputStream().write(request.getBytes(US_ASCII));
        var answer = new StringBuilder();
        while (!answer.toString().endsWith("hello")) {
            int read = socket.getInputStream().read();
            if (read < 0) {
                break;
            }
            answer.append((char) read);
        }
        return answer.toString();
    }

    private static boolean isEnded(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (java.net.SocketException e) {
            return true; // reset
        }
    }

    @Test
    void who_says_nothing_goes_soon() throws IOException {
        assertThat(isEnded(connect())).isTrue();
    }

    @Test
    void who_asks_only_for_what_everybody_may_see_goes_soon() throws IOException {
        var socket = connect();
        assertThat(ask(socket, PUBLIC)).endsWith("hello");
        assertThat(isEnded(socket)).isTrue();
    }

    @Test
    void a_stranger_does_not_trickle_a_body() throws IOException {
        var socket = connect();
        String begun = "POST /all HTTP/1.1\r\nhost: h\r\ncontent-length: 9\r\n\r\n1";
        assertThat(ask(socket, begun)).isEmpty();
    }

    @Test
    void who_is_known_may_be_silent() throws Exception {
        var socket = connect();
        assertThat(ask(socket, KNOWN)).endsWith("hello");
        Thread.sleep(SHORT.multipliedBy(4));
        assertThat(ask(socket, KNOWN)).endsWith("hello");
    }

    @Test
    void any_number_of_strangers_keeps_nobody_out() throws IOException {
        server.close();
        server = new HttpServer(new Greeting());
        listen();
        var known = connect();
        assertThat(ask(known, KNOWN)).endsWith("hello");
        for (int i = 0; i < 1100; i++) {
            connect();
        }
        assertThat(ask(connect(), KNOWN)).endsWith("hello");
        assertThat(ask(known, KNOWN)).endsWith("hello");
    }

    @Test
    void whoever_is_not_listened_to_to_the_end_is_told_so() throws IOException {
        String unread = "POST /unread HTTP/1.1\r\nhost: h\r\ncontent-length: ";
        assertThat(ask(connect(), unread + "1000000\r\n\r\n")).contains("connection: close");
        var socket = connect();
        assertThat(ask(socket, unread + "3\r\n\r\nabc")).doesNotContain("connection: close");
        assertThat(ask(socket, KNOWN)).endsWith("hello");
    }
}
