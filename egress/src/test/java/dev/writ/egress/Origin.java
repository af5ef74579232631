// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ServerSocketFactory;

/// A server on loopback that remembers every byte it was sent. It speaks enough HTTP to answer, and
/// believes whatever it is told.
final class Origin implements AutoCloseable {
    private final ServerSocket socket;
    private final List<String> heads = new CopyOnWriteArrayList<>();
    private final StringBuilder heard = new StringBuilder(); // guarded by itself
    private final AtomicInteger connections = new AtomicInteger();

    Origin() {
        this(ServerSocketFactory.getDefault());
    }

    /// @param sockets which may speak TLS
    Origin(ServerSocketFactory sockets) {
        try {
            socket = sockets.createServerSocket(0, 200, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return socket.getLocalPort();
    }

    /// The heads of all requests.
    List<String> heads() {
        return heads;
    }

    /// Everything that was sent here.
    String heard() {
        synchronized (heard) {
            return heard.toString();
        }
    }

    int connections() {
        return connections.get();
    }

    private void accept() {
        while (!socket.isClosed()) {
            try {
                var connection = socket.accept();
                connections.incrementAndGet();
                Thread.ofVirtual().start(() -> serve(connection));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket connection) {
        try (connection) {
            var in = new BufferedInputStream(connection.getInputStream());
            var out = connection.getOutputStream();
            while (true) {
                in.mark(1);
                int first = in.read();
                if (first < 0) {
                    return;
                }
                in.reset();
                if (first < 'A' || first > 'Z') {
                    echo(in, out);
                    return;
                }
                String head = head(in);
                if (head.isEmpty()) {
                    return;
                }
                heads.add(head);
                String body = body(in, head);
                String path = head.split(" ", 3)[1];
                if (path.startsWith("/ws") && !path.startsWith("/ws/no")) {
                    int early = path.startsWith("/ws/late") ? early(in) : 0;
                    write(
                            out,
                            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\nX-Early: "
                                    + early
                                    + "\r\n\r\n");
                    if (path.startsWith("/ws/frames")) {
                        frames(new DataInputStream(in), out);
                    } else {
                        echo(in, out);
                    }
                    return;
                }
                write(out, answer(head, path, body));
                if (path.startsWith("/close")) {
                    return;
                }
            }
        } catch (IOException e) {
            // The other side is gone.
        }
    }

    private static String answer(String head, String path, String body) {
        if (path.startsWith("/redirect")) {
            return "HTTP/1.1 302 Found\r\nLocation: http://evil.test/\r\nContent-Length: 0\r\n\r\n";
        }
        if (path.startsWith("/chunked")) {
            return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n";
        }
        if (path.startsWith("/close")) {
            return "HTTP/1.1 200 OK\r\n\r\nuntil the end";
        }
        if (path.startsWith("/switch")) {
            return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n";
        }
        if (path.startsWith("/garbage")) {
            return "HTTQ what\r\n\r\n";
        }
        if (path.startsWith("/two-lengths")) {
            return "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab";
        }
        if (path.startsWith("/v1/pause")) {
            return "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nwhat next, h";
        }
        if (path.startsWith("/v1/head")) {
            return "HTTP/1.1 200 OK\r\nX-Echo: "
                    + head.replaceAll("\r\n", "|")
                    + "\r\nContent-Length: "
                    + head.length()
                    + "\r\n\r\n"
                    + head;
        }
        if (path.startsWith("/v1/packed")) {
            return "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx";
        }
        String text = path + " " + body;
        return "HTTP/1.1 200 OK\r\nContent-Length: "
                + text.length()
                + "\r\nKeep-Alive: timeout=5\r\n\r\n"
                + (head.startsWith("HEAD ") ? "" : text);
    }

    private void hear(String text) {
        synchronized (heard) {
            if (heard.length() < 1_000_000) {
                heard.append(text);
            }
        }
    }

    private String head(InputStream in) throws IOException {
        var bytes = new ByteArrayOutputStream();
        while (true) {
            int b = in.read();
            if (b < 0) {
                return "";
            }
            hear(String.valueOf((char) b));
            bytes.write(b);
            String text = bytes.toString(StandardCharsets.ISO_8859_1);
            if (text.endsWith("\r\n\r\n")) {
                return text;
            }
        }
    }

    private String body(InputStream in, String head) throws IOException {
        String lower = head.toLowerCase(Locale.ROOT);
        if (lower.contains("transfer-encoding: chunked")) {
            var all = new StringBuilder();
            while (true) {
                int size = Integer.parseInt(line(in), 16);
                all.append(read(in, size));
                line(in);
                if (size == 0) {
                    return all.toString();
                }
            }
        }
        int at = lower.indexOf("content-length: ");
        return at < 0
                ? ""
                : read(in, Integer.parseInt(lower.substring(at + 16, lower.indexOf("\r\n", at))));
    }

    private String line(InputStream in) throws IOException {
        var line = new StringBuilder();
        for (int b = in.read(); b >= 0 && b != '\n'; b = in.read()) {
            hear(String.valueOf((char) b));
            if (b != '\r') {
                line.append((char) b);
            }
        }
        return line.toString();
    }

    private String read(InputStream in, int size) throws IOException {
        String text = new String(in.readNBytes(size), StandardCharsets.ISO_8859_1);
        hear(text);
        return text;
    }

    private void echo(InputStream in, java.io.OutputStream out) throws IOException {
        var buffer = new byte[65536];
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            hear(new String(buffer, 0, n, StandardCharsets.ISO_8859_1));
            out.write(buffer, 0, n);
            out.flush();
        }
    }

    /// How many bytes come although nothing was answered yet.
    private static int early(InputStream in) throws IOException {
        for (int i = 0; i < 30 && in.available() == 0; i++) {
            try {
                Thread.sleep(10);
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }
        return in.available();
    }

    /// Sends each frame of a WebSocket back, without its mask, as a server has to.
    private void frames(DataInputStream in, java.io.OutputStream out) throws IOException {
        while (true) {
            int first = in.readUnsignedByte();
            int length = in.readUnsignedByte() & 0x7F;
            length = length == 126 ? in.readUnsignedShort() : length;
            byte[] mask = in.readNBytes(4);
            byte[] content = in.readNBytes(length);
            for (int i = 0; i < content.length; i++) {
                content[i] ^= mask[i % 4];
            }
            hear(new String(content, StandardCharsets.ISO_8859_1));
            var frame = new ByteArrayOutputStream();
            frame.write(first);
            if (length < 126) {
                frame.write(length);
            } else {
                frame.write(126);
                frame.write(length >> 8);
                frame.write(length);
            }
            frame.writeBytes(content);
            out.write(frame.toByteArray());
            out.flush();
        }
    }

    private static void write(java.io.OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
