// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.audit;

/// Where events go: append only.
public interface AuditLog {
    /// Writes `event` down. Is called by threads that act for a sandbox: they have given up rights,
    /// and so would a thread that is started from here. When this returns the event is kept; if it
    /// cannot be kept, this throws and nothing may happen.
    void append(AuditEvent event);
}
