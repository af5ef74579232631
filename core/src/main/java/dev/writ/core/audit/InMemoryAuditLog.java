// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.audit;

import java.util.ArrayList;
import java.util.List;

/// Events kept while the process lives: for tests, and for hosts that keep their own record.
public final class InMemoryAuditLog implements AuditLog {
    private final List<AuditEvent> events = new ArrayList<>();

    public InMemoryAuditLog() {}

    @Override
    public synchronized void append(AuditEvent event) {
        events.add(event);
    }

    /// What happened so far, oldest first.
    public synchronized List<AuditEvent> events() {
        return List.copyOf(events);
    }
}
