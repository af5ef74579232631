// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.broker.Approver;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Frames of WebSockets through TLS that is looked into, and over plain HTTP. The server sends back
/// each frame as it understood it.
class WebSocketsTest {
    private static final int TEXT = 1;
    private static final int BINARY = 2;
    private static final int CLOSE = 8;
    private static final int PING = 9;
    private static final int PONG = 10;
    private static final int END = 0x80;
    private static final String VALUE = "hush".repeat(8);
    private static final Map<String, List<String>> SECRET =
            Map.of("hush", List.of("https://allowed.test:GOOD", "Authorization: Bearer {}"));
    private static final String FRAMES = "allow net:wss://allowed.test:GOOD/ws/**";

    private static final String NOTHING_EARLY = "(?s)<END>|HTTP/1.1 (400|101.*X-Early: 0\r\n).*";

    @TempDir private Path folder;

    /// @param first the bits and the kind in the first byte
    private record Frame(int first, String content) {
        byte[] masked(int key) {
            var out = new ByteArrayOutputStream();
            byte[] bytes = content.getBytes(ISO_8859_1);
            out.write(first);
            if (bytes.length < 126) {
                out.write(0x80 | bytes.length);
            } else {
                out.write(0x80 | 126);
                out.write(bytes.length >> 8);
                out.write(bytes.length);
            }
            for (int shift = 24; shift >= 0; shift -= 8) {
                out.write(key >> shift);
            }
            for (int i = 0; i < bytes.length; i++) {
                out.write(bytes[i] ^ (key >> (24 - 8 * (i % 4))));
            }
            return out.toByteArray();
        }
    }

    private static Frame frame(int kind, String content) {
        return new Frame(END | kind, content);
    }

    private static String upgrade(Stage stage, String path) {
        return stage.ports(
                "GET "
                        + path
                        + " HTTP/1.1\r\nHost: allowed.test:GOOD\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        + "Sec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n\r\n");
    }

    /// What comes back for `frames`, sent one after the other, until the end or as many have come.
    private static List<Frame> talk(Socket socket, Stage stage, List<Frame> frames)
            throws IOException {
        assertThat(Stage.exchange(socket, upgrade(stage, "/ws/frames"))).startsWith("HTTP/1.1 101");
        for (var frame : frames) {
            socket.getOutputStream().write(frame.masked(0xC0FFEE11));
        }
        socket.getOutputStream().flush();
        return read(socket, frames.size());
    }

    private static List<Frame> read(Socket socket, int count) {
        var back = new ArrayList<Frame>();
        try {
            var in = new DataInputStream(socket.getInputStream());
            while (back.size() < count) {
                int first = in.readUnsignedByte();
                int length = in.readUnsignedByte();
                assertThat(length).as("a server masks nothing").isLessThan(127);
                length = length == 126 ? in.readUnsignedShort() : length;
                back.add(new Frame(first, new String(in.readNBytes(length), ISO_8859_1)));
            }
        } catch (IOException e) {
            back.add(new Frame(0, "<END>"));
        }
        return back;
    }

    /// Of every kind: whole, in parts with a ping between them, long, not UTF-8, and the last.
    private static List<Frame> allKinds() {
        return List.of(
                frame(TEXT, "hello"),
                new Frame(TEXT, "in "),
                frame(PING, "there?"),
                new Frame(0, ""),
                new Frame(END, "parts"),
                frame(BINARY, "\0\u00ff\u0080"),
                frame(TEXT, new String("höflich".getBytes(UTF_8), ISO_8859_1)),
                frame(BINARY, "x".repeat(5_000)),
                frame(PONG, ""),
                frame(CLOSE, "\u0003\u00e8bye"));
    }

    @Test
    void frames_of_every_kind_pass_as_they_are() throws IOException {
        for (var secrets : List.of(Map.<String, List<String>>of(), SECRET)) {
            try (var secure = new SecureStage(folder, secrets, FRAMES);
                    var socket = secure.connect()) {
                assertThat(talk(socket, secure.stage, allKinds())).isEqualTo(allKinds());
            }
        }
        try (var stage = Stage.requests("allow net:ws://allowed.test:GOOD/ws/**");
                var socket = stage.announce("allowed.test", stage.good.port())) {
            assertThat(talk(socket, stage, allKinds())).isEqualTo(allKinds());
        }
    }

    @Test
    void what_stands_for_a_secret_does_not_leave_in_any_frame() throws IOException {
        try (var secure = new SecureStage(folder, SECRET, FRAMES)) {
            String mark = secure.stage.placeholder("hush");
            int half = mark.length() / 2;
            var ways =
                    List.of(
                            List.of(frame(TEXT, "a " + mark + " b")),
                            List.of(frame(BINARY, mark)),
                            List.of(frame(PING, mark)),
                            List.of(frame(CLOSE, "\u0003\u00e8" + mark)),
                            List.of(
                                    new Frame(TEXT, mark.substring(0, half)),
                                    frame(PING, ""),
                                    new Frame(END, mark.substring(half))),
                            mark.chars().mapToObj(c -> new Frame(0, "" + (char) c)).toList());
            for (var way : ways) {
                var frames = new ArrayList<Frame>(way);
                if (frames.size() > 3) {
                    frames.set(0, new Frame(TEXT, frames.getFirst().content()));
                }
                int before = secure.stage.refusals().size();
                try (var socket = secure.connect()) {
                    assertThat(talk(socket, secure.stage, frames).getLast().content())
                            .isEqualTo("<END>");
                }
                Stage.await(() -> secure.stage.refusals().size() > before);
            }
            assertThat(secure.stage.good.heard()).doesNotContain(mark);
        }
    }

    @Test
    void a_secret_does_not_come_back_in_any_frame() throws IOException {
        try (var secure = new SecureStage(folder, SECRET, FRAMES)) {
            // The program has the value from elsewhere, and the server says it once more.
            var frames =
                    List.of(
                            frame(TEXT, "a " + VALUE + " b"),
                            frame(PING, VALUE),
                            new Frame(TEXT, "c " + VALUE.substring(0, 9)),
                            new Frame(END, VALUE.substring(9) + " d"));
            try (var socket = secure.connect()) {
                var back = talk(socket, secure.stage, frames);
                var all = new StringBuilder();
                back.forEach(f -> all.append(f.content()));
                assertThat(all.toString())
                        .doesNotContain(VALUE)
                        .contains("a " + "*".repeat(32) + " b")
                        .contains("c " + "*".repeat(32) + " d");
            }
        }
    }

    @Test
    void nothing_goes_out_before_the_server_agrees() throws IOException {
        try (var stage = Stage.requests("allow net:ws://allowed.test:GOOD/ws/**")) {
            try (var direct = new Socket(InetAddress.getLoopbackAddress(), stage.good.port())) {
                assertThat(early(direct, stage)).contains("X-Early: 11");
            }
            try (var socket = stage.announce("allowed.test", stage.good.port())) {
                assertThat(early(socket, stage)).matches(NOTHING_EARLY);
            }
        }
        for (var secrets : List.of(Map.<String, List<String>>of(), SECRET)) {
            try (var secure = new SecureStage(folder, secrets, FRAMES);
                    var socket = secure.connect()) {
                assertThat(early(socket, secure.stage)).matches(NOTHING_EARLY);
            }
        }
    }

    /// What is answered to a program that does not wait. It may be cut off: those are no requests.
    private static String early(Socket socket, Stage stage) throws IOException {
        var out = new ByteArrayOutputStream();
        out.writeBytes(upgrade(stage, "/ws/late").getBytes(ISO_8859_1));
        out.writeBytes(frame(TEXT, "early").masked(0));
        socket.getOutputStream().write(out.toByteArray());
        socket.getOutputStream().flush();
        return Stage.readUntil(socket, "\r\n\r\n");
    }

    @Test
    void if_the_server_does_not_agree_what_follows_is_judged_as_a_request() throws IOException {
        try (var secure = new SecureStage(folder, Map.of(), FRAMES);
                var socket = secure.connect()) {
            String next =
                    secure.stage.ports("GET /private HTTP/1.1\r\nHost: allowed.test:GOOD\r\n\r\n");
            assertThat(Stage.exchange(socket, upgrade(secure.stage, "/ws/no") + next))
                    .startsWith(Stage.OK);
            assertThat(Stage.readUntil(socket, "\r\n\r\n")).startsWith("HTTP/1.1 403");
            assertThat(secure.stage.good.heard()).doesNotContain("/private");
        }
    }

    @Test
    void frames_that_break_the_rules_end_it_where_they_are_looked_at() throws IOException {
        for (var wrong :
                List.of(
                        new byte[] {(byte) 0x81, 2, 'h', 'i'}, // not masked
                        new Frame(END | 0x40 | TEXT, "packed").masked(1), // an extension
                        new Frame(END | 3, "x").masked(1), // no such kind
                        new Frame(PING, "in parts").masked(1))) {
            try (var secure = new SecureStage(folder, SECRET, FRAMES);
                    var socket = secure.connect()) {
                assertThat(talk(socket, secure.stage, List.of(frame(TEXT, "hello"))))
                        .containsExactly(frame(TEXT, "hello"));
                socket.getOutputStream().write(wrong);
                socket.getOutputStream().flush();
                assertThat(read(socket, 1).getFirst().content()).isEqualTo("<END>");
            }
        }
    }

    /// Of frames that are as long as they may be; all of a session may be 32 MiB.
    private static final int MANY = 64;

    private static final int LONG = 1_000_000;

    private static Stage withSecret(Origin good, int port) {
        var elsewhere = List.of("https://allowed.test:EVIL", "Authorization: Bearer {}");
        return new Stage(
                good,
                List.of(),
                Map.of("hush", elsewhere),
                Approver.nobody(),
                Bounds.DEFAULT,
                "allow net:ws://allowed.test:" + port + "/ws/**",
                "allow net:127.0.0.1:" + port);
    }

    /// The beginning of a binary frame of [#LONG] bytes.
    private static byte[] longHead(int mask) {
        return ByteBuffer.allocate(10)
                .put((byte) (END | BINARY))
                .put((byte) (mask | 127))
                .putLong(LONG)
                .array();
    }

    private static boolean isOpen(Socket socket) throws IOException {
        try {
            socket.setSoTimeout(50);
            return socket.getInputStream().read() >= 0;
        } catch (SocketTimeoutException e) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void what_there_is_of_frames_is_bounded() throws IOException {
        var good = new Origin();
        try (var stage = withSecret(good, good.port())) {
            var all = new ArrayList<Socket>();
            for (int i = 0; i < MANY; i++) {
                var socket = stage.announce("allowed.test", stage.good.port());
                all.add(socket);
                Stage.exchange(socket, upgrade(stage, "/ws/frames"));
                try {
                    socket.getOutputStream().write(longHead(0x80));
                    socket.getOutputStream().write(new byte[LONG]); // the mask, and not all of it
                } catch (IOException e) {
                    // cut off
                }
            }
            int open = 0;
            for (var socket : all) {
                open += isOpen(socket) ? 1 : 0;
            }
            assertThat(open).isBetween(25, 40);

            for (var socket : all) {
                socket.close();
            }
            Stage.await(() -> stage.sent().size() >= MANY);
            try (var socket = stage.announce("allowed.test", stage.good.port())) {
                assertThat(talk(socket, stage, allKinds())).isEqualTo(allKinds());
            }
        }
    }

    /// The kernel takes the first of them, and nobody the next.
    @Test
    void what_a_program_does_not_take_of_frames_is_bounded() throws IOException {
        try (var server = new ServerSocket(0, MANY, InetAddress.getLoopbackAddress());
                var stage = withSecret(new Origin(), server.getLocalPort())) {
            Thread.ofVirtual().start(() -> serveFrames(server));
            String upgrade =
                    upgrade(stage, "/ws/long")
                            .replace(":" + stage.good.port(), ":" + server.getLocalPort());
            var all = new ArrayList<Socket>();
            for (int i = 0; i < MANY; i++) {
                var socket = stage.announce("allowed.test", server.getLocalPort(), 4096);
                all.add(socket);
                socket.getOutputStream().write(upgrade.getBytes(ISO_8859_1));
            }

            Stage.await(() -> !stage.sent().isEmpty());

            for (var socket : all) {
                socket.close();
            }
            Stage.await(() -> stage.sent().size() == MANY);
        }
    }

    private static void serveFrames(ServerSocket server) {
        var frame = ByteBuffer.allocate(10 + LONG).put(longHead(0)).array();
        try {
            while (true) {
                var socket = server.accept();
                Thread.ofVirtual().start(() -> sendFrames(socket, frame));
            }
        } catch (IOException e) {
            // closed at the end of the test
        }
    }

    private static void sendFrames(Socket socket, byte[] frame) {
        String agreed =
                "HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n";
        try (socket) {
            Stage.readUntil(socket, "\r\n\r\n");
            socket.getOutputStream().write(agreed.getBytes(ISO_8859_1));
            while (true) {
                socket.getOutputStream().write(frame);
            }
        } catch (IOException e) {
            // cut off
        }
    }
}
