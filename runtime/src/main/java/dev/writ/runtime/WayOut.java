// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import dev.writ.core.audit.AuditLog;
import dev.writ.core.audit.Posture;
import dev.writ.core.audit.Posture.Enforcer;
import dev.writ.core.audit.Posture.Guarantee;
import dev.writ.core.audit.SessionId;
import dev.writ.core.broker.Approver;
import dev.writ.core.broker.Broker;
import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Policy;
import dev.writ.egress.Bounds;
import dev.writ.egress.Egress;
import dev.writ.egress.Resolver;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

/// The proxy of a policy without a sandbox, for programs that something else confines and that are
/// told to use it.
public final class WayOut implements AutoCloseable {
    private final Egress egress;
    private final Chronicle chronicle;

    private WayOut(Egress egress, Chronicle chronicle) {
        this.egress = egress;
        this.chronicle = chronicle;
    }

    /// @param source where the policy came from, for the record
    /// @param folder from where it was opened, for the record
    public static WayOut open(
            Policy policy,
            Approver approver,
            SessionId id,
            String source,
            FilePath folder,
            AuditLog log,
            Resolver resolver) {
        var clock = InstantSource.system();
        var chronicle = new Chronicle(id, policy, source, log, clock);
        chronicle.open(List.of("writ", "proxy"), folder, "none", () -> posture(policy));
        var broker = new Broker(policy, approver, chronicle, clock);
        return new WayOut(
                new Egress(policy, broker, id, clock, resolver, Bounds.DEFAULT), chronicle);
    }

    private static Posture posture(Policy policy) {
        return new Posture(
                policy.isolation().toString(),
                List.of(
                        new Guarantee(
                                "network",
                                Enforcer.NOBODY,
                                "only what comes to the proxy is judged")),
                List.of(),
                Map.of());
    }

    /// What tells most programs to use it, its secret token among it.
    public Map<String, String> variables() {
        return egress.explicit().variables();
    }

    /// Ends all connections.
    @Override
    public void close() {
        egress.close();
        chronicle.ended(0);
        chronicle.close();
    }
}
