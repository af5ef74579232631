// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.sandbox.Proxy;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/// Answers questions for names that come over TCP: hardly anybody asks that way, so it listens from
/// the first time on that somebody does. Only connections that were announced get an answer.
final class NameServer implements Outward.Expecting, AutoCloseable {
    private static final int MOST = 32;
    private static final int PATIENCE = 10_000; // milliseconds

    private final Proxy proxy;
    private final Set<InetSocketAddress> expected = ConcurrentHashMap.newKeySet();
    private final Semaphore free = new Semaphore(MOST);
    private @Nullable ServerSocket server;
    private boolean closed;

    NameServer(Proxy proxy) {
        this.proxy = proxy;
    }

    /// Where connections have to be led.
    synchronized InetSocketAddress address() {
        if (server == null) {
            try {
                var made = new ServerSocket(0, MOST, InetAddress.getLoopbackAddress());
                server = made;
                if (closed) {
                    made.close();
                }
                var _ = Host.call("writ-name-server", () -> serve(made));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
    }

    @Override
    public void expect(InetSocketAddress from) {
        expected.add(from);
    }

    @Override
    public void forget(InetSocketAddress from) {
        expected.remove(from);
    }

    private boolean serve(ServerSocket from) {
        while (true) {
            try {
                var socket = from.accept();
                var who = new InetSocketAddress(socket.getInetAddress(), socket.getPort());
                if (expected.remove(who) && free.tryAcquire()) {
                    Thread.ofPlatform().daemon().name("writ-names").start(() -> answer(socket));
                } else {
                    socket.close();
                }
            } catch (IOException e) {
                return true; // closed
            }
        }
    }

    private void answer(Socket socket) {
        try (socket) {
            socket.setSoTimeout(PATIENCE);
            var in = new DataInputStream(socket.getInputStream());
            var out = new DataOutputStream(socket.getOutputStream());
            while (true) {
                var answer = proxy.answer(in.readNBytes(in.readUnsignedShort()));
                if (answer.isEmpty()) {
                    return;
                }
                var message = new byte[2 + answer.get().length];
                message[0] = (byte) (answer.get().length >> 8);
                message[1] = (byte) answer.get().length;
                System.arraycopy(answer.get(), 0, message, 2, answer.get().length);
                out.write(message);
            }
        } catch (IOException | RuntimeException e) {
            // Whoever asked is gone, too slow, or asks nonsense.
        } finally {
            free.release();
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (server != null) {
            try {
                server.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
