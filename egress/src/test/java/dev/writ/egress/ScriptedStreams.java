// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.capability.Host;
import dev.writ.egress.tls.Authority;
import dev.writ.egress.tls.JavaServer;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

/// A server of HTTP/2 in TLS that answers each request by the frame, whatever its manners.
final class ScriptedStreams implements AutoCloseable {
    private static final int HEADERS = 1;
    private static final int SETTINGS = 4;
    private static final int PREFACE_BYTES = 24;
    private static final int ACKNOWLEDGED = 1;

    private final SSLServerSocket socket;
    private final Script script;

    interface Script {
        /// @param stream of the request
        void answer(int stream, Frames out) throws IOException;
    }

    /// What a side of a connection says.
    record Frames(DataOutputStream out) {
        void frame(int type, int flags, int stream, byte... content) throws IOException {
            var bytes = ByteBuffer.allocate(9 + content.length);
            bytes.putInt(content.length << 8 | type).put((byte) flags).putInt(stream).put(content);
            out.write(bytes.array());
            out.flush();
        }
    }

    ScriptedStreams(Authority authority, String name, Script script) throws IOException {
        this.script = script;
        this.socket =
                (SSLServerSocket)
                        JavaServer.context(authority, Host.parse(name, 0))
                                .getServerSocketFactory()
                                .createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return socket.getLocalPort();
    }

    private void accept() {
        while (!socket.isClosed()) {
            try {
                var connection = (SSLSocket) socket.accept();
                Thread.ofVirtual().start(() -> serve(connection));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(SSLSocket connection) {
        try (connection) {
            var parameters = connection.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {Protocols.HTTP_2});
            connection.setSSLParameters(parameters);
            var in = new DataInputStream(connection.getInputStream());
            var out = new Frames(new DataOutputStream(connection.getOutputStream()));
            in.readNBytes(PREFACE_BYTES);
            out.frame(SETTINGS, 0, 0);
            while (true) {
                int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
                int type = in.readUnsignedByte();
                int flags = in.readUnsignedByte();
                int stream = in.readInt();
                in.readNBytes(length);
                if (type == SETTINGS && (flags & ACKNOWLEDGED) == 0) {
                    out.frame(SETTINGS, ACKNOWLEDGED, 0);
                } else if (type == HEADERS) {
                    script.answer(stream, out);
                }
            }
        } catch (IOException e) {
            // The other side is gone.
        }
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
