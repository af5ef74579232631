// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.AuditLog;
import dev.writ.core.capability.Action;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What was refused in a run, and how often: for the report at its end. The rest passes by.
public final class Refusals implements AuditLog {
    private static final int MOST = 1000;

    /// One refused action.
    ///
    /// @param reason of the first time
    public record Refusal(Action action, String reason, long times) {
        private Refusal again() {
            return new Refusal(action, reason, times + 1);
        }
    }

    private final Map<Action, Refusal> refusals = new LinkedHashMap<>();

    public Refusals() {}

    @Override
    public synchronized void append(AuditEvent event) {
        if (event instanceof AuditEvent.Judged judged && !judged.permitted()) {
            var known = refusals.get(judged.action());
            if (known != null) {
                refusals.put(judged.action(), known.again());
            } else if (refusals.size() < MOST) {
                refusals.put(judged.action(), new Refusal(judged.action(), judged.reason(), 1));
            }
        }
    }

    /// The refused actions, in the order in which each was first refused.
    public synchronized List<Refusal> all() {
        return List.copyOf(refusals.values());
    }
}
