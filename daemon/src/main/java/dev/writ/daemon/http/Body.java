// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;

/// What follows a head: as many bytes as it has announced, or chunks.
final class Body extends InputStream {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int LONGEST_LINE = 16;
    private static final byte[] CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(US_ASCII);

    private final Wire wire;
    private final boolean chunked;
    private boolean expected;
    private boolean first = true;
    /// Of the body, or of the chunk at hand.
    private long left;

    private Body(Wire wire, boolean chunked, long left, boolean expected) {
        this.wire = wire;
        this.chunked = chunked;
        this.left = left;
        this.expected = expected;
    }

    static Body of(Head head, Wire wire) throws HttpException {
        var coding = head.field("transfer-encoding");
        var length = head.field("content-length");
        if (coding.isPresent() && (length.isPresent() || !coding.get().equals("chunked"))) {
            throw new HttpException(400, "the length of the body is not clear");
        }
        var expect = head.field("expect");
        if (expect.isPresent() && !expect.get().equalsIgnoreCase("100-continue")) {
            throw new HttpException(417, "nothing but `100-continue` can be expected");
        }
        return new Body(wire, coding.isPresent(), length(length.orElse("0")), expect.isPresent());
    }

    private static long length(String text) throws HttpException {
        if (text.isEmpty() || text.length() > 15 || !text.chars().allMatch(Body::isDigit)) {
            throw new HttpException(400, "`content-length` must be a number");
        }
        return Long.parseLong(text);
    }

    private static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, to.length);
        if (length == 0) {
            return 0;
        }
        wire.patience(PATIENCE);
        if (expected) {
            expected = false;
            wire.write(ByteBuffer.wrap(CONTINUE));
        }
        if (left <= 0 && (!chunked || !nextChunk())) {
            wire.patient();
            return -1;
        }
        int read = wire.read(to, offset, (int) Math.min(length, left));
        if (read < 0) {
            throw new EOFException("the body is shorter than it was to be");
        }
        left -= read;
        wire.patient(); // who reads may do something else first
        return read;
    }

    private boolean nextChunk() throws IOException {
        if (left < 0) {
            return false;
        }
        if (!first && !line().isEmpty()) {
            throw new IOException("a chunk is longer than it was to be");
        }
        first = false;
        String size = line();
        if (size.isEmpty()
                || size.length() > 8
                || !size.chars().allMatch(c -> Character.digit(c, 16) >= 0 && c < 0x80)) {
            throw new IOException("not the size of a chunk");
        }
        left = Long.parseLong(size, 16);
        if (left > 0) {
            return true;
        }
        if (!line().isEmpty()) {
            throw new IOException("fields after the last chunk are not understood");
        }
        left = -1;
        return false;
    }

    private String line() throws IOException {
        var line = new StringBuilder();
        for (int c = wire.read(); c != '\r'; c = wire.read()) {
            if (c < 0 || c == '\n' || line.length() == LONGEST_LINE) {
                throw new IOException("not a line of a body in chunks");
            }
            line.append((char) c);
        }
        if (wire.read() != '\n') {
            throw new IOException("not a line of a body in chunks");
        }
        return line.toString();
    }

    /// Whether it is known that what is left of it can be passed over.
    boolean isShort(int most) {
        return !expected && (chunked ? left < 0 : left <= most);
    }

    /// Reads what nobody wanted, so that the next request can be found; false if that is too much.
    boolean passOver(int most) throws IOException {
        if (expected) {
            return false; // it may come or not
        }
        byte[] some = new byte[8192];
        long passed = 0;
        for (int read = read(some, 0, some.length); read >= 0; read = read(some, 0, some.length)) {
            passed += read;
            if (passed > most) {
                return false;
            }
        }
        return true;
    }
}
