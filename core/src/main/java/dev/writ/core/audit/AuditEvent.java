// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.audit;

import dev.writ.core.capability.Action;
import java.time.Instant;

/// One thing that happened, never changed.
public sealed interface AuditEvent {
    Instant at();

    SessionId session();

    /// An action was judged. Written before the action can have any effect.
    ///
    /// @param permitted whether it may happen
    /// @param code why, for programs: stable
    /// @param reason why, for people
    record Judged(
            Instant at,
            SessionId session,
            Action action,
            boolean permitted,
            String code,
            String reason)
            implements AuditEvent {}
}
