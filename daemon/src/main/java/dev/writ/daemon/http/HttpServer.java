// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.http;

import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Listens, and gives each connection a virtual thread.
public final class HttpServer implements AutoCloseable {
    /// The type of answers that say what is wrong.
    public static final String PROBLEM = "application/problem+json";

    private static final int MOST_UNWANTED = 1 << 16;
    private static final Duration IDLE = Duration.ofMinutes(5);
    private static final Duration HEAD = Duration.ofSeconds(10);

    private final Handler handler;
    private final Duration strangers;
    private final Deadlines deadlines = new Deadlines();
    private final List<ServerSocketChannel> listeners = new ArrayList<>();

    public HttpServer(Handler handler) {
        this(handler, HEAD);
    }

    /// @param strangers how long each of their requests may take, and the time before it
    HttpServer(Handler handler, Duration strangers) {
        this.handler = handler;
        this.strangers = strangers;
    }

    /// Lets in through `listener` whom `door` admits.
    public synchronized void open(ServerSocketChannel listener, Door door) {
        listeners.add(listener);
        var places = new Places();
        // A platform thread: connections are accepted even while all carriers are busy.
        Thread.ofPlatform()
                .daemon()
                .name("writ-listen")
                .start(() -> listen(listener, door, places));
    }

    private void listen(ServerSocketChannel listener, Door door, Places places) {
        while (listener.isOpen()) {
            try {
                var channel = listener.accept();
                var wire = new Wire(channel, deadlines);
                places.enter(wire);
                Thread.ofVirtual()
                        .name("writ-http")
                        .start(() -> serve(channel, wire, door, places));
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

    private void serve(SocketChannel channel, Wire wire, Door door, Places places) {
        var visitor = new Visitor(wire, door, places);
        try (wire) {
            if (door.admits(channel)) {
                boolean more = true;
                while (more) {
                    more = serveOne(visitor);
                }
            }
        } catch (IOException e) {
            // Whoever has gone away needs no answer.
        } finally {
            places.leave(wire, visitor.known);
        }
    }

    /// Who is at the other end of one connection.
    private static final class Visitor {
        final Wire wire;
        final Door door;
        final Places places;
        boolean known;

        Visitor(Wire wire, Door door, Places places) {
            this.wire = wire;
            this.door = door;
            this.places = places;
        }

        void check(Head head) throws HttpException {
            if (door.check(head) && !known) {
                places.know(wire);
                known = true;
                wire.free();
            }
        }
    }

    private boolean serveOne(Visitor visitor) throws IOException {
        var wire = visitor.wire;
        try {
            if (!visitor.known) {
                wire.limit(strangers);
            }
            byte[] bytes = wire.head(IDLE, HEAD);
            if (bytes.length == 0) {
                return false;
            }
            var head = Head.parse(bytes, bytes.length);
            visitor.check(head);
            var body = Body.of(head, wire);
            // Who is told that the connection goes on sends the next request before it ends.
            var response =
                    new Response(wire, () -> head.keepsAlive() && body.isShort(MOST_UNWANTED));
            wire.patient();
            handler.handle(head, body, response);
            if (response.keepsAlive() && body.passOver(MOST_UNWANTED)) {
                return true;
            }
            wire.linger();
            return false;
        } catch (HttpException e) {
            var response = new Response(wire, () -> false);
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
