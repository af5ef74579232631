// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.http;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Closes connections on which nothing has come for too long. A blocking channel knows no time
/// limit, so one thread looks at all of them now and then.
final class Deadlines implements AutoCloseable {
    private static final long STEP = 250;

    private final Set<Deadline> all = ConcurrentHashMap.newKeySet();
    private final Thread thread =
            Thread.ofPlatform().daemon().name("writ-deadlines").unstarted(this::look);

    Deadlines() {
        thread.start();
    }

    Deadline add(SocketChannel channel) {
        var deadline = new Deadline(channel);
        all.add(deadline);
        return deadline;
    }

    private void look() {
        try {
            while (true) {
                Thread.sleep(STEP);
                long now = System.nanoTime();
                for (var deadline : all) {
                    if (deadline.isOver(now)) {
                        deadline.close();
                    }
                }
            }
        } catch (InterruptedException e) {
            all.forEach(Deadline::close);
        }
    }

    /// Ends all connections.
    @Override
    public void close() {
        thread.interrupt();
        all.forEach(Deadline::close);
    }

    /// Of one connection.
    final class Deadline {
        private final SocketChannel channel;
        private volatile boolean set;
        private volatile long at;

        private Deadline(SocketChannel channel) {
            this.channel = channel;
        }

        void in(Duration time) {
            at = System.nanoTime() + time.toNanos();
            set = true;
        }

        void never() {
            set = false;
        }

        private boolean isOver(long now) {
            return set && now - at > 0;
        }

        void close() {
            all.remove(this);
            try {
                channel.close();
            } catch (IOException e) {
                // It is gone, which is all that is wanted.
            }
        }
    }
}
