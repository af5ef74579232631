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

/// A server that answers each request by the byte, whatever its manners.
final class Scripted implements AutoCloseable {
    /// After this it ends the connection.
    static final String END = "<end>";

    private final ServerSocket socket;
    private final Script script;
    private final List<String> heard = new CopyOnWriteArrayList<>();

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
                connection
                        .getOutputStream()
                        .write(answer.replace(END, "").getBytes(StandardCharsets.ISO_8859_1));
                if (answer.endsWith(END)) {
                    return;
                }
            }
        } catch (IOException e) {
            // The other side is gone.
        }
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
