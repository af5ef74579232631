// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp.transport;

import io.modelcontextprotocol.spec.McpStreamableServerSession;
import java.util.concurrent.atomic.AtomicInteger;

/// One of those who speak HTTP.
final class Client {
    private final McpStreamableServerSession session;
    private final Requests requests = new Requests();
    private final AtomicInteger streams = new AtomicInteger();
    private volatile long used = System.nanoTime();

    /// Until it is closed, the client is there.
    interface Use extends AutoCloseable {
        @Override
        void close();
    }

    Client(McpStreamableServerSession session) {
        this.session = session;
    }

    McpStreamableServerSession session() {
        return session;
    }

    Requests requests() {
        return requests;
    }

    void touch() {
        used = System.nanoTime();
    }

    Use use() {
        streams.incrementAndGet();
        return () -> {
            touch();
            streams.decrementAndGet();
        };
    }

    boolean isIdleFor(long nanoseconds) {
        return streams.get() == 0 && System.nanoTime() - used > nanoseconds;
    }
}
