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
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Answers questions for names that come over TCP: hardly anybody asks that way, so it listens from
/// the first time on that somebody does. Only connections that were announced get an answer.
final class NameServer implements Outward.Expecting, AutoCloseable {
    private static final int MOST = 32;
    private static final int LOOK = 500; // milliseconds
    private static final int PAUSE = 10; // milliseconds
    private static final int ROOM = 16 * 1024; // for answers that nobody has taken yet

    /// How long a question may take to come, and its answer to be taken.
    private final Duration patience;

    private final Proxy proxy;
    private final Set<InetSocketAddress> expected = ConcurrentHashMap.newKeySet();

    /// Those who ask, and by when each has to have gone on: writing knows no time limit.
    private final Map<Socket, Long> asking = new ConcurrentHashMap<>();

    private @Nullable ServerSocket server;
    private boolean closed;

    NameServer(Proxy proxy) {
        this(proxy, Duration.ofSeconds(10));
    }

    NameServer(Proxy proxy, Duration patience) {
        this.proxy = proxy;
        this.patience = patience;
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

    /// Serves who comes until `from` is closed.
    boolean serve(ServerSocket from) {
        while (!from.isClosed()) {
            try {
                from.setSoTimeout(asking.isEmpty() ? 0 : LOOK);
                greet(from.accept());
            } catch (SocketTimeoutException e) {
                // nobody has come
            } catch (IOException e) {
                pause(); // closed, or out of descriptors, which passes
            }
            asking.forEach(NameServer::look);
        }
        asking.keySet().forEach(NameServer::end);
        return true;
    }

    private static void look(Socket socket, long end) {
        if (System.nanoTime() - end > 0) {
            end(socket);
        }
    }

    private void greet(Socket socket) {
        var who = new InetSocketAddress(socket.getInetAddress(), socket.getPort());
        if (!expected.remove(who) || asking.size() >= MOST) {
            end(socket);
            return;
        }
        asking.put(socket, deadline());
        try {
            Thread.ofPlatform().daemon().name("writ-names").start(() -> answer(socket));
        } catch (OutOfMemoryError e) {
            asking.remove(socket); // no thread is to be had
            end(socket);
        }
    }

    private long deadline() {
        return System.nanoTime() + patience.toNanos();
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void end(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is gone, which is all that is wanted.
        }
    }

    private void answer(Socket socket) {
        try (socket) {
            socket.setSendBufferSize(ROOM);
            var in = new DataInputStream(socket.getInputStream());
            var out = new DataOutputStream(socket.getOutputStream());
            while (true) {
                asking.replace(socket, deadline());
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
            asking.remove(socket);
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
