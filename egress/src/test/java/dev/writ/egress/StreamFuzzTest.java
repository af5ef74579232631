// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.capability.Host;
import dev.writ.core.capability.Scheme;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// HTTP/2 that nobody meant, from a fixed seed: what comes of it is one request, or none.
class StreamFuzzTest {
    private static final int HEADS = 50_000 * Integer.getInteger("writ.soak", 1);
    private static final int CONNECTIONS = 500 * Integer.getInteger("writ.soak", 1);
    private static final List<String> NAMES =
            List.of(
                    ":method",
                    ":path",
                    ":scheme",
                    ":authority",
                    ":status",
                    ":protocol",
                    "host",
                    "Host",
                    "connection",
                    "upgrade",
                    "transfer-encoding",
                    "content-length",
                    "te",
                    "cookie",
                    "x y",
                    "x\r\nhost",
                    "",
                    "accept");
    private static final List<String> VALUES =
            List.of(
                    "GET",
                    "CONNECT",
                    "get",
                    "/v1/x",
                    "/../x",
                    "*",
                    "//evil.test/",
                    "https",
                    "http",
                    "allowed.test",
                    "evil.test",
                    "allowed.test@evil.test",
                    "allowed.test:443",
                    "chunked",
                    "close",
                    "1",
                    "a\r\nhost: evil.test",
                    "a\0b",
                    "",
                    "/a b",
                    "\u00ff");

    private static Http2Headers headers(Random random) {
        var headers = new DefaultHttp2Headers(false);
        headers.add(":method", "GET").add(":path", "/v1/x").add(":scheme", "https");
        headers.add(":authority", "allowed.test").add("accept", "*/*");
        for (int n = random.nextInt(4); n > 0; n--) {
            String name = NAMES.get(random.nextInt(NAMES.size()));
            String value = VALUES.get(random.nextInt(VALUES.size()));
            switch (random.nextInt(3)) {
                case 0 -> headers.add(name, value);
                case 1 -> headers.set(name, value);
                default -> headers.remove(name);
            }
        }
        return headers;
    }

    @Test
    void a_head_is_read_in_one_way_or_not_at_all() {
        var random = new Random(21);
        var to = new Destination(Host.parse("allowed.test", 0), 443);
        int accepted = 0;
        for (int i = 0; i < HEADS; i++) {
            var in = headers(random);
            try {
                var head =
                        RequestHead.read(
                                StreamHeads.request(in, random.nextBoolean()),
                                Entry.to(to, Scheme.HTTPS));
                accepted++;
                // A second reading, by other means.
                assertThat(in.getAll(":method")).as("%s", in).hasSize(1);
                assertThat(in.getAll(":path")).as("%s", in).hasSize(1);
                assertThat(in.getAll(":scheme")).as("%s", in).containsExactly("https");
                for (var name : List.of(":authority", "host")) {
                    assertThat(in.getAll(name))
                            .as("%s", in)
                            .allMatch(
                                    v ->
                                            List.of("allowed.test", "allowed.test:443")
                                                    .contains(v.toString()));
                }
                assertThat(in.contains("connection") || in.contains("transfer-encoding")).isFalse();
                var out = head.written();
                assertThat(out.headers().getAll("Host")).containsExactly("allowed.test");
                assertThat(out.method().name()).isEqualTo(in.method().toString());
                assertThat(out.toString().replace("\n", "")).doesNotContain("\r", "\0");
            } catch (BadRequest e) {
                // As it should be.
            }
        }
        assertThat(accepted).isBetween(HEADS / 100, HEADS - 1);
    }

    private static byte[] frame(int type, int flags, int stream, byte[] content) {
        var out = Unpooled.buffer();
        out.writeMedium(content.length).writeByte(type).writeByte(flags).writeInt(stream);
        return ByteBufUtil.getBytes(out.writeBytes(content));
    }

    private static byte[] conversation(Random random) throws Exception {
        var out = new ByteArrayOutputStream();
        out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        out.write(frame(4, 0, 0, new byte[0]));
        var encoder = new DefaultHttp2HeadersEncoder();
        for (int stream = 1; stream < 8; stream += 2) {
            var block = Unpooled.buffer();
            encoder.encodeHeaders(stream, headers(random), block);
            byte[] bytes = ByteBufUtil.getBytes(block);
            int cut = random.nextInt(3) == 0 ? random.nextInt(bytes.length) : bytes.length;
            out.write(frame(1, cut == bytes.length ? 4 : 0, stream, part(bytes, 0, cut)));
            if (cut < bytes.length) {
                out.write(frame(9, 4, stream, part(bytes, cut, bytes.length)));
            }
            out.write(frame(random.nextInt(11), random.nextInt(256), stream, new byte[8]));
            out.write(frame(0, 1, stream, "body".getBytes(StandardCharsets.US_ASCII)));
        }
        byte[] all = out.toByteArray();
        for (int n = random.nextInt(4); n > 0; n--) {
            all[24 + random.nextInt(all.length - 24)] = (byte) random.nextInt(256);
        }
        return all;
    }

    private static byte[] part(byte[] bytes, int from, int to) {
        return Arrays.copyOfRange(bytes, from, to);
    }

    /// Every connection comes to its end, and nothing gets out that no rule allows.
    @Test
    @Timeout(600)
    void frames_of_any_kind_lead_nowhere() throws Exception {
        var random = new Random(22);
        try (var stage = new Stage("allow net:DELETE=https://allowed.test:GOOD/**")) {
            var to = new Destination(Host.parse("allowed.test", 0), stage.good.port());
            try (var door = new StreamDoor(stage, to)) {
                for (int i = 0; i < CONNECTIONS; i++) {
                    converse(door, conversation(random));
                }
            }
            assertThat(stage.good.connections() + stage.evil.connections()).isZero();
        }
    }

    private static void converse(StreamDoor door, byte[] conversation) {
        try (var socket = door.connect()) {
            socket.getOutputStream().write(conversation);
            socket.shutdownOutput();
            while (socket.getInputStream().read() >= 0) {
                // to the end, which comes
            }
        } catch (SocketTimeoutException e) {
            throw new AssertionError("it hangs", e);
        } catch (IOException e) {
            // cut off
        }
    }
}
