// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import dev.writ.core.audit.AuditLog;
import dev.writ.core.audit.Posture;
import dev.writ.core.audit.Posture.Enforcer;
import dev.writ.core.audit.Posture.Guarantee;
import dev.writ.core.audit.SessionId;
import dev.writ.core.broker.Approver;
import dev.writ.core.broker.Broker;
import dev.writ.core.broker.Request;
import dev.writ.core.broker.Verdict;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Policy;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

/// A session of somebody who asks before they act, and is trusted to do as they are told. Nothing
/// is confined; what was judged is recorded.
public final class Counsel implements AutoCloseable {
    private final SessionId id;
    private final Broker broker;
    private final Chronicle chronicle;

    private Counsel(SessionId id, Broker broker, Chronicle chronicle) {
        this.id = id;
        this.broker = broker;
        this.chronicle = chronicle;
    }

    /// @param source where the policy came from, for the record
    /// @param folder where they work, for the record
    /// @param command what stands for them in the record
    public static Counsel open(
            Policy policy,
            SessionId id,
            String source,
            FilePath folder,
            List<String> command,
            AuditLog log) {
        var clock = InstantSource.system();
        var chronicle = new Chronicle(id, policy, source, log, clock);
        chronicle.open(command, folder, "none", () -> posture(policy));
        return new Counsel(id, new Broker(policy, Approver.nobody(), chronicle, clock), chronicle);
    }

    private static Posture posture(Policy policy) {
        return new Posture(
                policy.isolation().toString(),
                List.of(
                        new Guarantee(
                                "hook",
                                Enforcer.NOBODY,
                                "the agent asks before it acts, and does as it is told")),
                List.of(),
                Map.of());
    }

    /// What may be done. It is in the record before this returns.
    public Verdict judge(Action action) {
        return broker.judge(new Request(id, action));
    }

    @Override
    public void close() {
        chronicle.ended(0);
        chronicle.close();
    }
}
