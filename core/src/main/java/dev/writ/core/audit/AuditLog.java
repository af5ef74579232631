// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.audit;

import java.util.List;

/// Where events go: append only.
public interface AuditLog {
    /// Writes `event` down. Is called by threads that act for a sandbox: they have given up rights,
    /// and so would a thread that is started from here. When this returns the event is kept; if it
    /// cannot be kept, this throws and nothing may happen.
    void append(AuditEvent event);

    /// The same for several, in their order. They may share one wait, so if it throws, nobody knows
    /// which of them are kept.
    default void append(List<AuditEvent> events) {
        events.forEach(this::append);
    }

    /// Keeps events in `first`, and then tells `second` of them.
    static AuditLog both(AuditLog first, AuditLog second) {
        return new AuditLog() {
            @Override
            public void append(AuditEvent event) {
                first.append(event);
                second.append(event);
            }

            @Override
            public void append(List<AuditEvent> events) {
                first.append(events);
                second.append(events);
            }
        };
    }
}
