// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.broker;

import dev.writ.core.audit.SessionId;
import dev.writ.core.capability.Action;

/// An action put to the broker: who wants what.
public record Request(SessionId session, Action action, Asker asker) {
    public Request(SessionId session, Action action) {
        this(session, action, Asker.UNKNOWN);
    }
}
