// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.capability.Scheme;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SNIMatcher;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.StandardConstants;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Bytes that nobody meant, from a fixed seed: nothing but an answer or a [BadRequest] comes of
/// them. `./test --soak` makes it a million for each reader.
class FuzzTest {
    private static final int INPUTS = 50_000 * Integer.getInteger("writ.soak", 1);
    private static final int BY_SOCKETS = INPUTS / 50;
    private static final int SECOND_OPINIONS = INPUTS / 50;

    private static final List<String> PIECES =
            List.of(
                    "\r\n",
                    "\r",
                    "\n",
                    "\0",
                    " ",
                    "\t",
                    ":",
                    "Host: allowed.test\r\n",
                    "Host: evil.test\r\n",
                    "Content-Length: 1\r\n",
                    "Transfer-Encoding: chunked\r\n",
                    "http://allowed.test",
                    "http://evil.test",
                    "@",
                    "/../",
                    "%2e%2e",
                    "//",
                    "GET ",
                    " HTTP/1.1\r\n",
                    "\u00ff");

    private static String mutated(Random random, String text) {
        var out = new StringBuilder(text);
        for (int n = random.nextInt(4); n >= 0; n--) {
            int at = random.nextInt(out.length() + 1);
            switch (random.nextInt(4)) {
                case 0 -> out.insert(at, PIECES.get(random.nextInt(PIECES.size())));
                case 1 -> out.insert(at, (char) random.nextInt(256));
                case 2 -> out.delete(at, Math.min(out.length(), at + random.nextInt(6)));
                default -> {
                    if (at < out.length()) {
                        out.setCharAt(at, (char) random.nextInt(256));
                    }
                }
            }
        }
        return out.toString();
    }

    private static ByteBuf bytes(String text) {
        return Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /// What is accepted must be the same to a second reading, written from scratch and by other
    /// means: split at CR LF, first line at spaces, one Host.
    @Test
    void a_request_is_read_in_one_way_or_not_at_all() {
        var random = new Random(11);
        var to = new Destination(dev.writ.core.capability.Host.parseLoose("allowed.test", 0), 80);
        int accepted = 0;
        for (int i = 0; i < INPUTS; i++) {
            String text =
                    mutated(
                            random,
                            "GET http://allowed.test/v1/a?b=c HTTP/1.1\r\nHost: allowed.test\r\nAccept: */*\r\n\r\n");
            var entry =
                    random.nextBoolean()
                            ? new Entry(Optional.empty(), Scheme.HTTP, Optional.empty())
                            : Entry.to(to, Scheme.HTTP);
            var head = read(text, entry, random);
            if (head.isEmpty()) {
                continue;
            }
            accepted++;
            var action = head.get().action();
            var lines = text.substring(0, text.indexOf("\r\n\r\n")).split("\r\n");
            var first = lines[0].split(" ");
            var hosts =
                    Arrays.stream(lines)
                            .skip(1)
                            .filter(l -> l.toLowerCase(java.util.Locale.ROOT).startsWith("host:"))
                            .toList();
            assertThat(first).as(text).hasSize(3);
            assertThat(action.method()).as(text).isEqualTo(first[0]);
            assertThat(hosts).as(text).hasSizeLessThanOrEqualTo(1);
            if (entry.to().isPresent()) {
                assertThat(head.get().to()).as(text).isEqualTo(to);
            }
            hosts.forEach(
                    h ->
                            assertThat(Destination.parse(h.substring(5).strip(), 80))
                                    .as(text)
                                    .isEqualTo(head.get().to()));
            String target = head.get().target();
            assertThat(target).as(text).doesNotContain(" ", "\r", "\n");
            assertThat(target.split("\\?", 2)[0].substring(1).split("/"))
                    .as(text)
                    .doesNotContain("..", ".");
            assertThat(head.get().written().headers().getAll("Host")).as(text).hasSize(1);
        }
        assertThat(accepted).isPositive();
    }

    private static Optional<RequestHead> read(String text, Entry entry, Random random) {
        var channel = new EmbeddedChannel(new RequestDecoder(16 * 1024));
        try {
            for (int at = 0; at < text.length(); ) {
                int n = Math.min(text.length() - at, 1 + random.nextInt(text.length()));
                channel.writeInbound(bytes(text.substring(at, at + n)));
                at += n;
            }
            Object message = channel.readInbound();
            return message instanceof HttpRequest request
                    ? Optional.of(RequestHead.read(request, entry))
                    : Optional.empty();
        } catch (BadRequest e) {
            return Optional.empty();
        } finally {
            for (Object m = channel.readInbound(); m != null; m = channel.readInbound()) {
                assertThat(m)
                        .isInstanceOfAny(
                                LastHttpContent.class,
                                BadRequest.class,
                                io.netty.handler.codec.http.HttpContent.class);
                ReferenceCountUtil.release(m);
            }
            channel.finishAndReleaseAll();
        }
    }

    /// A second opinion: where the JDK reads a name in the message as well, it is the same.
    @Test
    void a_hello_is_read_in_one_way_or_not_at_all() throws Exception {
        var random = new Random(12);
        int compared = 0;
        byte[] hello = TunnelTest.hello("allowed.test");
        int accepted = 0;
        for (int i = 0; i < INPUTS; i++) {
            byte[] other = hello.clone();
            for (int n = random.nextInt(4); n > 0; n--) {
                other[random.nextInt(Math.min(other.length, 300))] = (byte) random.nextInt(256);
            }
            int length = random.nextInt(5) == 0 ? random.nextInt(other.length) : other.length;
            try {
                var read = ClientHello.read(Unpooled.wrappedBuffer(other, 0, length));
                if (read.isPresent()) {
                    accepted++;
                    if (compared < SECOND_OPINIONS) {
                        var second = nameByJdk(Arrays.copyOf(other, length));
                        if (second.isPresent()) {
                            compared++;
                            assertThat(read.get().name().map(String::toString)).isEqualTo(second);
                        }
                    }
                    // What it says stands in it.
                    read.get()
                            .name()
                            .ifPresent(
                                    name ->
                                            assertThat(
                                                            new String(
                                                                    other,
                                                                    StandardCharsets.ISO_8859_1))
                                                    .contains(name));
                }
            } catch (BadRequest e) {
                // As it should be.
            }
        }
        assertThat(accepted).isPositive();
        assertThat(compared).isPositive();
    }

    /// The name that a server of the JDK hears; empty if it hears none, or cannot read the message.
    private static Optional<String> nameByJdk(byte[] hello) throws Exception {
        var engine = SSLContext.getDefault().createSSLEngine();
        engine.setUseClientMode(false);
        var heard = new AtomicReference<String>();
        var parameters = engine.getSSLParameters();
        parameters.setSNIMatchers(
                List.of(
                        new SNIMatcher(StandardConstants.SNI_HOST_NAME) {
                            @Override
                            public boolean matches(SNIServerName name) {
                                heard.set(
                                        new String(name.getEncoded(), StandardCharsets.ISO_8859_1));
                                return true;
                            }
                        }));
        engine.setSSLParameters(parameters);
        try {
            engine.unwrap(ByteBuffer.wrap(hello), ByteBuffer.allocate(32 * 1024));
            for (var task = engine.getDelegatedTask();
                    task != null;
                    task = engine.getDelegatedTask()) {
                task.run();
            }
        } catch (SSLException e) {
            // It cannot be read, or there is no certificate to go on with.
        }
        return Optional.ofNullable(heard.get());
    }

    /// With the token, whatever else is said, nobody is reached but whom a rule names.
    @Test
    @Timeout(600)
    void socks_with_the_token_leads_where_rules_lead() throws Exception {
        var random = new Random(14);
        try (var stage = new Stage("allow net:db.test:GOOD", "allow net:127.0.0.1:GOOD")) {
            var proxy = stage.egress.explicit();
            String token = "\1\1w" + (char) proxy.token().length() + proxy.token();
            for (int i = 0; i < BY_SOCKETS; i++) {
                int port = random.nextBoolean() ? stage.good.port() : stage.evil.port();
                String request =
                        "\5\1\0\3\7db.test" + (char) (port >> 8) + (char) (port & 0xff) + "x";
                try (var socket =
                        new Socket(proxy.address().getAddress(), proxy.address().getPort())) {
                    socket.setSoTimeout(20_000);
                    socket.getOutputStream()
                            .write(
                                    ("\5\1\2" + token + mutated(random, request))
                                            .getBytes(StandardCharsets.ISO_8859_1));
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
            assertThat(stage.good.connections()).isPositive();
            assertThat(stage.evil.connections()).isZero();
        }
    }

    /// No bytes of SOCKS without the token lead to a connection.
    @Test
    void socks_without_the_token_leads_nowhere() {
        var random = new Random(13);
        try (var stage = new Stage("allow net:db.test:GOOD", "allow net:127.0.0.1:GOOD")) {
            var service = stage.service();
            for (int i = 0; i < INPUTS; i++) {
                String text = mutated(random, "\5\1\2\1\1w\5wrong\5\1\0\3\7db.test\0P");
                var channel = new EmbeddedChannel(new Socks(service, "the token"));
                var pieces = new ArrayList<String>(List.of(text));
                if (random.nextBoolean() && text.length() > 1) {
                    int at = 1 + random.nextInt(text.length() - 1);
                    pieces.clear();
                    pieces.add(text.substring(0, at));
                    pieces.add(text.substring(at));
                }
                for (var piece : pieces) {
                    if (channel.isOpen()) {
                        channel.writeInbound(bytes(piece));
                    }
                }
                for (ByteBuf out = channel.readOutbound();
                        out != null;
                        out = channel.readOutbound()) {
                    // Nothing that says it is granted.
                    assertThat(out.readableBytes() == 10 && out.getByte(1) == 0).isFalse();
                    out.release();
                }
                channel.finishAndReleaseAll();
            }
            assertThat(stage.good.connections()).isZero();
        }
    }
}
