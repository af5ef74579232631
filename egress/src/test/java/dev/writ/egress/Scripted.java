// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

/// A server that answers each request by the byte, whatever its manners.
final class Scripted implements AutoCloseable {
    /// After this it ends the connection.
    static final String END = "<end>";

    /// What is behind this it says a little later.
    static final String PAUSE = "<pause>";

    private final ServerSocket socket;
    private final Script script;
    private final List<String> heard = new CopyOnWriteArrayList<>();
    private volatile boolean saidAll = true;

    interface Script {
        /// @param head of the request
        String answer(String head);
    }

    Scripted(Script script) throws IOException {
        this.script = script;
        this.socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return socket.getLocalPort();
    }

    /// Which connection each request came over: `1 GET /path`, and so on.
    List<String> heard() {
        return heard;
    }

    private void accept() {
        for (int i = 1; !socket.isClosed(); i++) {
            int number = i;
            try {
                var connection = socket.accept();
                Thread.ofVirtual().start(() -> serve(connection, number));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket connection, int number) {
        try (connection) {
            while (true) {
                String head = head(connection.getInputStream());
                if (head.isEmpty()) {
                    return;
                }
                heard.add(number + " " + head.substring(0, head.indexOf(" HTTP/")));
                String answer = script.answer(head);
                say(connection, answer.replace(END, ""));
                if (answer.endsWith(END)) {
                    return;
                }
            }
        } catch (IOException e) {
            // The other side is gone.
        }
    }

    private void say(Socket connection, String answer) throws IOException {
        int end = answer.indexOf(PAUSE);
        String now = end < 0 ? answer : answer.substring(0, end);
        saidAll = end < 0;
        connection.getOutputStream().write(now.getBytes(StandardCharsets.ISO_8859_1));
        if (end >= 0) {
            LockSupport.parkNanos(100_000_000);
            connection
                    .getOutputStream()
                    .write(
                            answer.substring(end + PAUSE.length())
                                    .getBytes(StandardCharsets.ISO_8859_1));
            LockSupport.parkNanos(100_000_000); // until it has come
            saidAll = true;
        }
    }

    /// Whether nothing is left to be said later.
    boolean saidAll() {
        return saidAll;
    }

    private static String head(InputStream in) throws IOException {
        var head = new StringBuilder();
        while (!head.toString().endsWith("\r\n\r\n")) {
            int b = in.read();
            if (b < 0) {
                return "";
            }
            head.append((char) b);
        }
        return head.toString();
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
