// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.audit;

/// Where events go: append only.
public interface AuditLog {
    /// Writes `event` down. When this returns the event is kept; if it cannot be kept, this throws
    /// and nothing may happen.
    void append(AuditEvent event);
}
