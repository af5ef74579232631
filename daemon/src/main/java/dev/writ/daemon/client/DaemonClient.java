// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.trust.Json;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A connection to the daemon: one request after the other. Belongs to one thread.
public final class DaemonClient implements AutoCloseable {
    private static final int MOST = 64 << 20;
    private static final String PLAIN = "text/plain";

    private final SocketChannel channel;
    private final InputStream in;
    private String more = "";

    private DaemonClient(SocketChannel channel) {
        this.channel = channel;
        this.in = new BufferedInputStream(Channels.newInputStream(channel), 1 << 16);
    }

    /// What the daemon says.
    public record Answer(int status, String body) {
        /// The body as JSON.
        public @Nullable Object json() {
            return Json.read(body.getBytes(UTF_8), MOST);
        }
    }

    /// @throws IOException if no daemon listens there
    public static DaemonClient connect(Path socket) throws IOException {
        return new DaemonClient(SocketChannel.open(UnixDomainSocketAddress.of(socket)));
    }

    /// Sends a field of that name with each request from now on.
    public DaemonClient with(String name, String value) {
        more += name + ": " + value + "\r\n";
        return this;
    }

    public Answer get(String path) throws IOException {
        return ask("GET", path, "");
    }

    /// @param json the body, or an empty text for none
    public Answer ask(String method, String path, String json) throws IOException {
        var body = new StringBuilder();
        int status = stream(method, path, json, line -> body.append(line).append('\n'));
        return new Answer(status, body.toString());
    }

    /// Gives each line of the answer to `lines` as it comes.
    ///
    /// @return the status
    public int stream(String method, String path, String json, Consumer<String> lines)
            throws IOException {
        byte[] body = json.getBytes(UTF_8);
        String head =
                method
                        + " "
                        + path
                        + " HTTP/1.1\r\nhost: localhost\r\ncontent-type: "
                        + (body.length == 0 ? PLAIN : "application/json")
                        + "\r\ncontent-length: "
                        + body.length
                        + "\r\n"
                        + more
                        + "\r\n";
        send(ByteBuffer.wrap(head.getBytes(ISO_8859_1)), ByteBuffer.wrap(body));
        var status = line().split(" ", 3);
        boolean chunked = false;
        long length = 0;
        for (String field = line(); !field.isEmpty(); field = line()) {
            String lower = field.toLowerCase(Locale.ROOT);
            chunked |= lower.equals("transfer-encoding: chunked");
            if (lower.startsWith("content-length: ")) {
                length = Long.parseLong(lower.substring(16));
            }
        }
        var text = new Lines(lines);
        if (chunked) {
            for (int size = size(); size > 0; size = size()) {
                text.add(in.readNBytes(size));
                line();
            }
            line();
        } else {
            text.add(in.readNBytes((int) Math.min(length, MOST)));
        }
        text.end();
        return Integer.parseInt(status[1]);
    }

    private void send(ByteBuffer... parts) throws IOException {
        for (var part : parts) {
            while (part.hasRemaining()) {
                channel.write(part);
            }
        }
    }

    private int size() throws IOException {
        return Integer.parseInt(line(), 16);
    }

    private String line() throws IOException {
        var line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("the daemon has gone");
            }
            line.append((char) c);
        }
        return line.toString().stripTrailing();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
