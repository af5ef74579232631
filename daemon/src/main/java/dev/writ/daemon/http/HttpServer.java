// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.http;

import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;

/// Listens, and gives each connection a virtual thread.
public final class HttpServer implements AutoCloseable {
    /// The type of answers that say what is wrong.
    public static final String PROBLEM = "application/problem+json";

    private static final int MOST_CONNECTIONS = 1024;
    private static final int MOST_UNWANTED = 1 << 16;
    private static final Duration IDLE = Duration.ofMinutes(5);
    private static final Duration HEAD = Duration.ofSeconds(10);

    private final Handler handler;
    private final Deadlines deadlines = new Deadlines();
    private final List<ServerSocketChannel> listeners = new ArrayList<>();

    public HttpServer(Handler handler) {
        this.handler = handler;
    }

    /// Lets in through `listener` whom `door` admits.
    public synchronized void open(ServerSocketChannel listener, Door door) {
        listeners.add(listener);
        var room = new Semaphore(MOST_CONNECTIONS);
        // A platform thread: connections are accepted even while all carriers are busy.
        Thread.ofPlatform().daemon().name("writ-listen").start(() -> listen(listener, door, room));
    }

    private void listen(ServerSocketChannel listener, Door door, Semaphore room) {
        while (listener.isOpen()) {
            try {
                var channel = listener.accept();
                if (room.tryAcquire()) {
                    Thread.ofVirtual().name("writ-http").start(() -> serve(channel, door, room));
                } else {
                    channel.close();
                }
            } catch (IOException e) {
                pause(); // closed, or out of descriptors, which passes
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(10);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void serve(SocketChannel channel, Door door, Semaphore room) {
        try (var wire = new Wire(channel, deadlines)) {
            if (door.admits(channel)) {
                boolean more = true;
                while (more) {
                    more = serveOne(wire, door);
                }
            }
        } catch (IOException e) {
            // Whoever has gone away needs no answer.
        } finally {
            room.release();
        }
    }

    private boolean serveOne(Wire wire, Door door) throws IOException {
        try {
            byte[] bytes = wire.head(IDLE, HEAD);
            if (bytes.length == 0) {
                return false;
            }
            var head = Head.parse(bytes, bytes.length);
            door.check(head);
            var body = Body.of(head, wire);
            var response = new Response(wire, head.keepsAlive());
            wire.patient();
            handler.handle(head, body, response);
            if (response.keepsAlive() && body.passOver(MOST_UNWANTED)) {
                return true;
            }
            wire.linger();
            return false;
        } catch (HttpException e) {
            var response = new Response(wire, false);
            response.send(
                    e.status(),
                    PROBLEM,
                    handler.refusal(e.status(), String.valueOf(e.getMessage())));
            wire.linger();
            return false;
        }
    }

    /// Ends all connections.
    @Override
    public synchronized void close() {
        for (var listener : listeners) {
            try {
                listener.close();
            } catch (IOException e) {
                // It listens no more, which is all that is wanted.
            }
        }
        deadlines.close();
    }
}
