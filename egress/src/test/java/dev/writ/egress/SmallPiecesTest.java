// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What has come and nobody wants yet takes no more memory than there is of it, and of that there
/// is not much.
@Timeout(60)
class SmallPiecesTest {
    private static final int MUCH = 64 << 20;

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
