// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.capability.Scheme;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// Connections to servers that were left by the connections of programs, for a short while: many
/// programs make a new one for each request. They are of one session, and belong to one thread.
final class KeptServers {
    private static final int MOST = 16;
    private static final long LONGEST_SECONDS = 5;

    private final EventLoop loop;
    private final Deque<Left> left = new ArrayDeque<>(); // the latest first

    private record Left(Server server, Future<?> end) {}

    KeptServers(EventLoop loop) {
        this.loop = loop;
    }

    void keep(Server server) {
        if (!server.isReady() || server.isBound() || loop.isShuttingDown()) {
            server.channel().close();
            return;
        }
        if (left.size() >= MOST) {
            close(left.removeLast());
        }
        left.addFirst(
                new Left(
                        server,
                        loop.schedule(() -> end(server), LONGEST_SECONDS, TimeUnit.SECONDS)));
    }

    private void end(Server server) {
        left.removeIf(l -> l.server().equals(server));
        server.channel().close();
    }

    private static void close(Left old) {
        old.end().cancel(false);
        old.server().channel().close();
    }

    /// One that leads to `to`, which is not kept any more.
    Optional<Server> take(Destination to, Scheme scheme) {
        for (var all = left.iterator(); all.hasNext(); ) {
            var one = all.next();
            if (one.server().isReady()) {
                if (one.server().leadsTo(to, scheme)) {
                    all.remove();
                    one.end().cancel(false);
                    return Optional.of(one.server());
                }
            } else {
                all.remove();
                close(one);
            }
        }
        return Optional.empty();
    }
}
