// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.sandbox.Proxy;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Questions for names over TCP, by those who do not mean well.
@Timeout(60)
class NameServerTest {
    private static final Duration SHORT = Duration.ofMillis(500);

    /// Has a long answer to everything.
    private static final Proxy TALKATIVE =
            (Proxy)
                    java.lang.reflect.Proxy.newProxyInstance(
                            Proxy.class.getClassLoader(),
                            new Class<?>[] {Proxy.class},
                            (_, method, _) ->
                                    method.getName().equals("answer")
                                            ? Optional.of(new byte[60_000])
                                            : null);

    /// A connection that was announced.
    private static Socket connect(NameServer names, InetSocketAddress to) throws IOException {
        var socket = new Socket();
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        socket.setReceiveBufferSize(4096);
        names.expect((InetSocketAddress) socket.getLocalSocketAddress());
        socket.connect(to);
        return socket;
    }

    private static byte[] question() {
        var out = ByteBuffer.allocate(2 + 12 + 10 + 4);
        out.putShort((short) 26).putShort((short) 7).putShort((short) 0x100).putShort((short) 1);
        out.putShort((short) 0).putInt(0);
        out.put((byte) 3).put("api".getBytes(US_ASCII));
        out.put((byte) 4).put("test".getBytes(US_ASCII)).put((byte) 0);
        return out.putShort((short) 1).putShort((short) 1).array();
    }

    private static boolean isAnswered(Socket socket) throws IOException {
        try {
            socket.getOutputStream().write(question());
            var in = new DataInputStream(socket.getInputStream());
            return in.readNBytes(in.readUnsignedShort()).length > 0;
        } catch (IOException e) {
            return false;
        }
    }

    /// Asks, and takes no answer, until nothing more goes through; says whether it was sent away.
    private static boolean floods(Socket socket) {
        var many = ByteBuffer.allocate(1000 * question().length);
        while (many.hasRemaining()) {
            many.put(question());
        }
        try {
            var out = new DataOutputStream(socket.getOutputStream());
            for (int i = 0; i < 10_000; i++) {
                out.write(many.array());
            }
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    void who_takes_no_answers_keeps_nobody_out() throws Exception {
        try (var names = new NameServer(TALKATIVE, SHORT)) {
            var all = new ArrayList<Thread>();
            var sentAway = new ArrayList<AtomicBoolean>();
            for (int i = 0; i < 32; i++) {
                var socket = connect(names, names.address());
                var done = new AtomicBoolean();
                sentAway.add(done);
                all.add(Thread.ofVirtual().start(() -> done.set(floods(socket))));
            }
            for (var thread : all) {
                thread.join(Duration.ofSeconds(20));
            }
            assertThat(sentAway).allMatch(AtomicBoolean::get);
            try (var socket = connect(names, names.address())) {
                assertThat(isAnswered(socket)).isTrue();
            }
        }
    }

    @Test
    void who_sends_a_question_byte_by_byte_is_sent_away() throws Exception {
        try (var names = new NameServer(TALKATIVE, SHORT);
                var socket = connect(names, names.address())) {
            assertThat(isAnswered(socket)).isTrue();
            int sent = 0;
            try {
                for (byte b : List.of((byte) 1, (byte) 0)) {
                    socket.getOutputStream().write(b);
                }
                for (; sent < 100; sent++) {
                    socket.getOutputStream().write(0);
                    Thread.sleep(100);
                }
            } catch (IOException e) {
                // sent away
            }
            assertThat(sent).isLessThan(50);
        }
    }

    @Test
    void a_machine_that_is_out_of_descriptors_for_a_moment_ends_nothing() throws Exception {
        var failed = new AtomicBoolean();
        try (var names = new NameServer(TALKATIVE);
                var server =
                        new ServerSocket(0, 50, InetAddress.getLoopbackAddress()) {
                            @Override
                            public Socket accept() throws IOException {
                                if (!failed.getAndSet(true)) {
                                    throw new SocketException("Too many open files");
                                }
                                return super.accept();
                            }
                        }) {
            Thread.ofPlatform().daemon().start(() -> names.serve(server));
            try (var socket = connect(names, (InetSocketAddress) server.getLocalSocketAddress())) {
                socket.setSoTimeout(20_000);
                assertThat(isAnswered(socket)).isTrue();
            }
            assertThat(failed).isTrue();
        }
    }
}
