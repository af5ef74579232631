// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.BooleanSupplier;

/// The answer to a request: one of [#send] and [#stream], once. Whoever reads slowly holds up the
/// thread that writes, and nobody else.
public final class Response {
    private static final byte[] LINE = {'\r', '\n'};
    private static final byte[] LAST = "0\r\n\r\n".getBytes(US_ASCII);

    private final Wire wire;
    private final BooleanSupplier wish;
    private boolean keepsAlive;
    private boolean begun;
    private boolean whole;

    /// @param wish whether the connection is to go on after the answer, asked when that begins
    Response(Wire wire, BooleanSupplier wish) {
        this.wire = wire;
        this.wish = wish;
    }

    /// Whether something was sent.
    public boolean isBegun() {
        return begun;
    }

    /// Whether nobody listens any more, as far as can be known without waiting.
    public boolean isGone() {
        return wire.isGone();
    }

    boolean keepsAlive() {
        return keepsAlive && whole;
    }

    public void send(int status, String type, byte[] body) throws IOException {
        send(status, Map.of("content-type", type), body);
    }

    public void send(int status, Map<String, String> fields, byte[] body) throws IOException {
        begin();
        String length = status == 204 ? "" : "content-length: " + body.length + "\r\n";
        wire.write(ByteBuffer.wrap(head(status, fields, length)), ByteBuffer.wrap(body));
        whole = true;
    }

    /// An answer that comes bit by bit.
    public Stream stream(int status, String type) throws IOException {
        return stream(status, Map.of("content-type", type));
    }

    public Stream stream(int status, Map<String, String> fields) throws IOException {
        begin();
        return new Stream(head(status, fields, "transfer-encoding: chunked\r\n"));
    }

    private void begin() {
        if (begun) {
            throw new IllegalStateException("answered twice");
        }
        begun = true;
        keepsAlive = wish.getAsBoolean();
    }

    private byte[] head(int status, Map<String, String> fields, String framing) {
        var head = new StringBuilder("HTTP/1.1 ").append(status).append(' ').append(phrase(status));
        head.append("\r\n").append(framing);
        fields.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        head.append("cache-control: no-store\r\nx-content-type-options: nosniff\r\n");
        if (!keepsAlive) {
            head.append("connection: close\r\n");
        }
        return head.append("\r\n").toString().getBytes(US_ASCII);
    }

    private static String phrase(int status) {
        return switch (status) {
            case 200 -> "OK";
            case 201 -> "Created";
            case 202 -> "Accepted";
            case 204 -> "No Content";
            case 404 -> "Not Found";
            default -> status < 400 ? "OK" : status < 500 ? "Refused" : "Failed";
        };
    }

    /// The body of an answer that comes bit by bit. If it is not closed, the other side sees that
    /// it is not whole.
    public final class Stream {
        private byte[] head;

        private Stream(byte[] head) {
            this.head = head;
        }

        /// Sends these bytes now, together with the head if they are the first.
        public void write(byte[] bytes, int length) throws IOException {
            if (length > 0) {
                byte[] size = (Integer.toHexString(length) + "\r\n").getBytes(US_ASCII);
                wire.write(
                        ByteBuffer.wrap(head),
                        ByteBuffer.wrap(size),
                        ByteBuffer.wrap(bytes, 0, length),
                        ByteBuffer.wrap(LINE));
                head = new byte[0];
            }
        }

        /// Sends these bytes, and that they are the last.
        public void close(byte[] bytes) throws IOException {
            byte[] size =
                    bytes.length == 0
                            ? new byte[0]
                            : (Integer.toHexString(bytes.length) + "\r\n").getBytes(US_ASCII);
            wire.write(
                    ByteBuffer.wrap(head),
                    ByteBuffer.wrap(size),
                    ByteBuffer.wrap(bytes),
                    ByteBuffer.wrap(bytes.length == 0 ? size : LINE),
                    ByteBuffer.wrap(LAST));
            head = new byte[0];
            whole = true;
        }

        /// Whether nobody listens any more, as far as can be known without waiting.
        public boolean isGone() {
            return wire.isGone();
        }

        /// Sends the head, if nothing else was there to be sent with it.
        public void begin() throws IOException {
            wire.write(ByteBuffer.wrap(head));
            head = new byte[0];
        }
    }
}
