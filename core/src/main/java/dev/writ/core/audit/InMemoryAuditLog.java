// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.audit;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/// The latest events, kept while the process lives: for tests, and for hosts that keep their own
/// record. An agent can cause as many as it likes, so the oldest make room.
public final class InMemoryAuditLog implements AuditLog {
    private static final int MOST = 100_000;

    private final Deque<AuditEvent> events = new ArrayDeque<>();

    public InMemoryAuditLog() {}

    @Override
    public synchronized void append(AuditEvent event) {
        if (events.size() == MOST) {
            events.removeFirst();
        }
        events.addLast(event);
    }

    /// What happened lately, oldest first.
    public synchronized List<AuditEvent> events() {
        return List.copyOf(events);
    }
}
