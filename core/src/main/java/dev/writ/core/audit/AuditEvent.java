// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.audit;

import dev.writ.core.capability.Action;
import dev.writ.core.policy.Rule;
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

    /// A limit was reached. Written the first time, and at the end if it was more than once.
    ///
    /// @param ended whether everything in the sandbox was ended for it
    /// @param times how often so far
    record LimitReached(Instant at, SessionId session, Rule rule, boolean ended, long times)
            implements AuditEvent {}
}
