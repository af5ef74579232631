// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What has come and nobody wants yet takes no more memory than there is of it, and of that there
/// is not much.
@Timeout(60)
class SmallPiecesTest {
    private static final int MUCH = 64 << 20;

    private static EmbeddedChannel waiting() {
        var channel = new EmbeddedChannel(new OneByOne());
        channel.config().setAutoRead(false);
        return channel;
    }

    @Test
    void small_parts_of_a_body_are_joined_while_nobody_wants_them() {
        var channel = waiting();
        channel.read();
        var all = new ByteArrayOutputStream();
        for (int i = 0; i < 50_000; i++) {
            all.write(i);
            channel.writeInbound(
                    new DefaultHttpContent(Unpooled.wrappedBuffer(new byte[] {(byte) i})));
        }
        channel.writeInbound(LastHttpContent.EMPTY_LAST_CONTENT);

        var parts = new ArrayList<HttpContent>();
        for (HttpContent part = channel.readInbound(); part != null; part = channel.readInbound()) {
            parts.add(part);
            channel.read();
        }
        assertThat(parts).hasSizeLessThan(20).last().isInstanceOf(LastHttpContent.class);
        var out = new ByteArrayOutputStream();
        for (var part : parts) {
            out.writeBytes(ByteBufUtil.getBytes(part.content()));
            part.release();
        }
        assertThat(out.toByteArray()).isEqualTo(all.toByteArray());
    }

    @Test
    void a_server_that_says_ever_more_ahead_of_its_answer_is_cut_off() {
        var channel = waiting();
        for (int i = 0; i < 1000 && channel.isActive(); i++) {
            channel.writeInbound(
                    new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.EARLY_HINTS),
                    LastHttpContent.EMPTY_LAST_CONTENT);
        }
        assertThat(channel.isActive()).isFalse();
    }

    @Test
    void what_a_program_sends_behind_its_request_stays_with_it() throws Exception {
        try (var mute = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                var stage = new Stage("allow net:allow=http://127.0.0.1:" + mute.getLocalPort());
                var socket = stage.announce("127.0.0.1", mute.getLocalPort())) {
            String request =
                    "GET /x HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n".formatted(mute.getLocalPort());
            socket.getOutputStream().write(request.getBytes(US_ASCII));
            try (var asked = mute.accept()) {
                assertThat(asked.getInputStream().read()).isEqualTo('G');
                var sent = new AtomicLong();
                var sending = Thread.ofVirtual().start(() -> sendMuch(socket, sent));
                sending.join(5000);
                assertThat(sent.get()).isLessThan(MUCH);
            }
        }
    }

    private static void sendMuch(Socket socket, AtomicLong sent) {
        try {
            var bytes = new byte[1 << 16];
            while (sent.get() < MUCH) {
                socket.getOutputStream().write(bytes);
                sent.addAndGet(bytes.length);
            }
        } catch (IOException e) {
            sent.get(); // it was closed at the end of the test
        }
    }
}
