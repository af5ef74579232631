// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.capability.Host;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A stream of HTTP/2 takes as much memory as a connection, so it counts as one.
@Timeout(60)
class StreamBoundsTest {
    private static final int RESET = 3;
    private static final int REFUSED_STREAM = 7;

    private final Patient patient = new Patient();

    @Test
    void streams_of_all_connections_together_have_a_bound() throws Exception {
        try (var stage =
                new Stage(
                        patient,
                        Bounds.DEFAULT.withConnections(5),
                        "ask net:GET=https://allowed.test:GOOD/**")) {
            var to = new Destination(Host.parse("allowed.test", 0), stage.good.port());
            try (var door = new StreamDoor(stage, to)) {
                try (var one = door.connect();
                        var other = door.connect()) {
                    one.getOutputStream().write(requests(to, 3));
                    Stage.await(() -> isTaken(stage.service().usage(), 3));
                    other.getOutputStream().write(requests(to, 4));

                    assertThat(refused(other)).isEqualTo(5);
                    assertThat(refused(other)).isEqualTo(7);
                } finally {
                    patient.end();
                }
                Stage.await(() -> isTaken(stage.service().usage(), 0));
            }
        }
    }

    /// A program that has us reset streams for what it does wrong is like one that resets them.
    @Test
    void who_has_streams_reset_by_the_hundred_is_cut_off() throws Exception {
        try (var stage = new Stage(patient, Bounds.DEFAULT, "ask net:https://allowed.test:GOOD")) {
            var to = new Destination(Host.parse("allowed.test", 0), stage.good.port());
            try (var door = new StreamDoor(stage, to);
                    var socket = door.connect()) {
                socket.getOutputStream().write(requests(to, 0));
                for (int i = 0; i < 400; i++) {
                    socket.getOutputStream().write(wrongRequest(to, 2 * i + 1));
                }
                socket.getInputStream().readAllBytes(); // to the end, which comes
            } catch (SocketTimeoutException e) {
                throw new AssertionError("it goes on", e);
            } catch (IOException e) {
                // cut off
            } finally {
                patient.end();
            }
        }
    }

    /// One that wants its window to grow by nothing.
    private static byte[] wrongRequest(Destination to, int stream) throws Exception {
        var out = Unpooled.buffer();
        write(out, to, stream, new DefaultHttp2HeadersEncoder());
        out.writeMedium(4).writeByte(8).writeByte(0).writeInt(stream).writeInt(0);
        return ByteBufUtil.getBytes(out);
    }

    private static byte[] requests(Destination to, int count) throws Exception {
        var out = Unpooled.buffer();
        out.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        out.writeMedium(0).writeByte(4).writeByte(0).writeInt(0);
        var encoder = new DefaultHttp2HeadersEncoder();
        for (int i = 0; i < count; i++) {
            write(out, to, 2 * i + 1, encoder);
        }
        return ByteBufUtil.getBytes(out);
    }

    private static void write(
            ByteBuf out, Destination to, int stream, DefaultHttp2HeadersEncoder encoder)
            throws Exception {
        var headers = new DefaultHttp2Headers().method("GET").path("/x").scheme("https");
        var block = Unpooled.buffer();
        encoder.encodeHeaders(stream, headers.authority(to.toString()), block);
        out.writeMedium(block.readableBytes()).writeByte(1).writeByte(5).writeInt(stream);
        out.writeBytes(block);
    }

    /// Whether exactly so many of five places are taken.
    private static boolean isTaken(Usage usage, int count) {
        var more = new ArrayList<Boolean>();
        while (usage.connect()) {
            more.add(true);
        }
        more.forEach(_ -> usage.disconnect());
        return more.size() == 5 - count;
    }

    /// The next stream that is refused.
    private static int refused(Socket socket) throws Exception {
        var in = new DataInputStream(socket.getInputStream());
        while (true) {
            int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
            int type = in.readUnsignedByte();
            in.readUnsignedByte();
            int stream = in.readInt();
            var content = in.readNBytes(length);
            if (type == RESET && content[3] == REFUSED_STREAM) {
                return stream;
            }
        }
    }
}
