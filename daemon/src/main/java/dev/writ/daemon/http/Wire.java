// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.http;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/// The bytes of a connection. Belongs to one thread; only [#close] may come from another.
final class Wire implements AutoCloseable {
    private static final int BUFFER = 16 * 1024;
    private static final Duration LINGER = Duration.ofSeconds(1);
    private static final int MOST_PASSED = 1 << 22;
    private static final int END = ('\r' << 24) | ('\n' << 16) | ('\r' << 8) | '\n';

    private final SocketChannel channel;
    private final Deadlines.Deadline deadline;
    private final byte[] buffer = new byte[BUFFER];
    private int start;
    private int end;
    private boolean limited;
    private long limit;

    Wire(SocketChannel channel, Deadlines deadlines) {
        this.channel = channel;
        this.deadline = deadlines.add(channel);
    }

    /// From now on the other side has this long for all that it does, until it is [#free].
    void limit(Duration time) {
        limited = true;
        limit = System.nanoTime() + time.toNanos();
    }

    void free() {
        limited = false;
    }

    private Duration left() {
        return Duration.ofNanos(limit - System.nanoTime());
    }

    /// From now on the other side has this long for what is next.
    void patience(Duration time) {
        deadline.in(limited && left().compareTo(time) < 0 ? left() : time);
    }

    /// From now on it has all the time there is.
    void patient() {
        if (limited) {
            deadline.in(left());
        } else {
            deadline.never();
        }
    }

    /// The next head, without its empty line; empty if the other side has nothing more to ask.
    ///
    /// @param idle how long it may take to begin
    /// @param whole how long it may take to end
    byte[] head(Duration idle, Duration whole) throws IOException, HttpException {
        patience(idle);
        if (start == end && fill() < 0) {
            return new byte[0];
        }
        patience(whole);
        int seen = 0;
        int last = 0;
        while (true) {
            for (int i = start + seen; i < end; i++) {
                last = (last << 8) | (buffer[i] & 0xff);
                seen++;
                if (last == END) {
                    byte[] head = new byte[seen - 4];
                    System.arraycopy(buffer, start, head, 0, head.length);
                    start += seen;
                    return head;
                }
                if (buffer[i] == '\n' && (i == start || buffer[i - 1] != '\r')) {
                    throw new HttpException(400, "a line ends without a carriage return");
                }
            }
            if (seen == BUFFER) {
                throw new HttpException(431, "a head of more than " + BUFFER + " bytes");
            }
            if (fill() < 0) {
                throw new EOFException("ended within a head");
            }
        }
    }

    /// Up to `length` bytes; -1 at the end.
    int read(byte[] to, int offset, int length) throws IOException {
        if (start < end) {
            int part = Math.min(length, end - start);
            System.arraycopy(buffer, start, to, offset, part);
            start += part;
            return part;
        }
        return channel.read(ByteBuffer.wrap(to, offset, length));
    }

    int read() throws IOException {
        return start < end || fill() > 0 ? buffer[start++] & 0xff : -1;
    }

    private int fill() throws IOException {
        if (start > 0) {
            System.arraycopy(buffer, start, buffer, 0, end - start);
            end -= start;
            start = 0;
        }
        int read = channel.read(ByteBuffer.wrap(buffer, end, BUFFER - end));
        end += Math.max(read, 0);
        return read;
    }

    void write(ByteBuffer... parts) throws IOException {
        long left = 0;
        for (var part : parts) {
            left += part.remaining();
        }
        while (left > 0) {
            left -= channel.write(parts);
        }
    }

    /// Whether the other side has gone, as far as can be known without waiting. What it has sent
    /// meanwhile is kept.
    boolean isGone() {
        try {
            if (end - start == BUFFER) {
                return false;
            }
            channel.configureBlocking(false);
            try {
                return fill() < 0;
            } finally {
                channel.configureBlocking(true);
            }
        } catch (IOException e) {
            return true;
        }
    }

    /// Nothing more will be written; what still comes is thrown away for a moment, because who is
    /// not listened to any more may not get to see the answer.
    void linger() throws IOException {
        channel.shutdownOutput();
        patience(LINGER);
        int passed = 0;
        for (int read = 1; read > 0 && passed < MOST_PASSED; passed += read) {
            start = 0;
            end = 0;
            read = fill();
        }
    }

    @Override
    public void close() {
        deadline.close();
    }
}
