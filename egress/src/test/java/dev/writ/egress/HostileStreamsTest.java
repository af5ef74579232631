// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.broker.Approver;
import dev.writ.core.capability.Capability;
import dev.writ.core.capability.Host;
import dev.writ.core.capability.Net;
import dev.writ.core.capability.Scope;
import dev.writ.egress.tls.Authority;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Who speaks HTTP/2 to the proxy and means it ill, on either side, takes a bounded part of its
/// memory and time.
@Timeout(60)
class HostileStreamsTest {
    private static final String HOST = "allowed.test";
    private static final int HEADERS = 1;
    private static final int RESET = 3;
    private static final int SETTINGS = 4;
    private static final int UNKNOWN = 0xfa;
    private static final int END = 1;
    private static final int END_HEADERS = 4;
    private static final byte[] OK = {(byte) 0x88}; // :status 200
    private static final byte[] EARLY_HINTS = {8, 3, '1', '0', '3'}; // :status 103
    private static final byte[] REFUSED = {0, 0, 0, 7};

    @TempDir Path folder;

    private final Authority outside =
            new Authority(
                    List.of(((Net) Capability.parse("net:*:443", Scope.SPELLED_OUT)).host()),
                    InstantSource.system());

    private Stage stage(int port, Approver approver, String effect) throws IOException {
        var root = Files.writeString(folder.resolve("root.pem"), outside.pem());
        return new Stage(
                new Origin(),
                List.of(root),
                Map.of(),
                approver,
                Bounds.DEFAULT,
                effect + " net:GET=https://allowed.test:" + port + "/**",
                "allow net:127.0.0.1:" + port);
    }

    private static Destination to(int port) {
        return new Destination(Host.parse(HOST, 0), port);
    }

    private static byte[] preface() {
        var out = Unpooled.buffer();
        out.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        out.writeMedium(0).writeByte(4).writeByte(0).writeInt(0);
        return ByteBufUtil.getBytes(out);
    }

    private static byte[] request(Destination to, int stream) throws Exception {
        var out = Unpooled.buffer();
        var headers = new DefaultHttp2Headers().method("GET").path("/x").scheme("https");
        var block = Unpooled.buffer();
        new DefaultHttp2HeadersEncoder()
                .encodeHeaders(stream, headers.authority(to.toString()), block);
        out.writeMedium(block.readableBytes()).writeByte(1).writeByte(5).writeInt(stream);
        out.writeBytes(block);
        return ByteBufUtil.getBytes(out);
    }

    private static long residentMegabytes() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024)
                .findFirst()
                .orElseThrow();
    }

    /// It is not bounded by windows, and the program does not read it.
    @Test
    void a_server_that_says_ever_more_ahead_of_its_answer_is_not_heard_out() throws Exception {
        try (var server =
                        new ScriptedStreams(
                                outside,
                                HOST,
                                (stream, out) -> {
                                    for (int i = 0; i < 1000; i++) {
                                        out.frame(HEADERS, END_HEADERS, stream, EARLY_HINTS);
                                    }
                                });
                var stage = stage(server.port(), Approver.nobody(), "allow");
                var door = new StreamDoor(stage, to(server.port()));
                var socket = door.connect()) {
            socket.getOutputStream().write(preface());
            socket.getOutputStream().write(request(to(server.port()), 1));

            Stage.await(() -> !stage.sent().isEmpty());

            assertThat(stage.sent()).hasSize(1).allMatch(e -> e.status() == 0);
        }
    }

    /// Else it would be asked for as long as it likes, and the record says once.
    @Test
    void a_server_that_ends_each_stream_is_not_asked_for_ever() throws Exception {
        var heard = new AtomicInteger();
        try (var server =
                        new ScriptedStreams(
                                outside,
                                HOST,
                                (stream, out) -> {
                                    if (heard.incrementAndGet() == 1) {
                                        out.frame(HEADERS, END_HEADERS | END, stream, OK);
                                    } else {
                                        out.frame(RESET, 0, stream, REFUSED);
                                    }
                                });
                var stage = stage(server.port(), Approver.nobody(), "allow");
                var door = new StreamDoor(stage, to(server.port()));
                var socket = door.connect()) {
            socket.getOutputStream().write(preface());
            socket.getOutputStream().write(request(to(server.port()), 1));
            Stage.await(() -> stage.sent().size() == 1);

            socket.getOutputStream().write(request(to(server.port()), 3));

            Stage.await(() -> stage.sent().size() == 2);
            assertThat(heard).hasValueBetween(3, 6);
        }
    }

    /// Nobody knows these frames, and nobody reads while the operator is asked.
    @Test
    void frames_of_unknown_kinds_are_not_kept() throws Exception {
        var patient = new Patient();
        try (var stage = stage(443, patient, "ask");
                var door = new StreamDoor(stage, to(443));
                var socket = door.connect()) {
            socket.getOutputStream().write(preface());
            socket.getOutputStream().write(request(to(443), 1));
            var frame = new ByteArrayOutputStream();
            new ScriptedStreams.Frames(new DataOutputStream(frame))
                    .frame(UNKNOWN, 0, 1, new byte[16_000]);
            byte[] bytes = frame.toByteArray(); // once: garbage is memory, too
            socket.getOutputStream().write(bytes);
            long before = residentMegabytes();
            for (int i = 0; i < 30_000; i++) {
                socket.getOutputStream().write(bytes);
            }

            assertThat(residentMegabytes() - before).isLessThan(300);
        } finally {
            patient.end();
        }
    }

    /// Windows count bytes, and each of these takes a hundred times as many.
    @Test
    void parts_of_one_byte_do_not_wait_without_a_bound() throws Exception {
        var patient = new Patient();
        try (var stage = stage(443, patient, "ask");
                var door = new StreamDoor(stage, to(443));
                var socket = door.connect()) {
            socket.getOutputStream().write(preface());
            for (int stream = 1; stream < 8; stream += 2) {
                byte[] request = request(to(443), stream);
                request[4] = END_HEADERS; // a body comes
                socket.getOutputStream().write(request);
            }
            var in = new DataInputStream(socket.getInputStream());
            await(in, SETTINGS);
            var taken = new DataOutputStream(socket.getOutputStream());
            new ScriptedStreams.Frames(taken).frame(SETTINGS, 1, 0, new byte[0]);
            for (int stream = 1; stream < 8; stream += 2) {
                var parts = new ByteArrayOutputStream();
                var frames = new ScriptedStreams.Frames(new DataOutputStream(parts));
                for (int i = 0; i < 60_000; i++) {
                    frames.frame(0, 0, stream, new byte[1]);
                }
                socket.getOutputStream().write(parts.toByteArray());
            }

            assertThat(await(in, RESET)).endsWith(0, 0, 0, 11);
        } finally {
            patient.end();
        }
    }

    /// What the next frame of that type says.
    private static byte[] await(DataInputStream in, int type) throws IOException {
        while (true) {
            int head = in.readInt();
            in.skipNBytes(5);
            byte[] said = in.readNBytes(head >>> 8);
            if ((head & 0xff) == type) {
                return said;
            }
        }
    }
}
