// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.audit;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// Events kept while the process lives: for tests, and for hosts that keep their own record.
public final class InMemoryAuditLog implements AuditLog {
    private final List<AuditEvent> events = new CopyOnWriteArrayList<>();

    public InMemoryAuditLog() {}

    @Override
    public void append(AuditEvent event) {
        events.add(event);
    }

    /// What happened so far, oldest first.
    public List<AuditEvent> events() {
        return List.copyOf(events);
    }
}
