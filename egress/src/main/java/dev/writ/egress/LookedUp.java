// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.audit.SessionId;
import dev.writ.core.broker.Broker;
import dev.writ.core.broker.Reason;
import dev.writ.core.broker.Request;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.Host;
import dev.writ.core.capability.Scheme;
import dev.writ.core.policy.Passage;
import dev.writ.core.policy.Policy;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/// Whether some rule leads to a name that is looked up. One that no rule leads to has no address,
/// so the program never comes to where it would be refused: that is written down here, once for
/// each name, as if it had wanted to go where most do.
final class LookedUp implements Predicate<Host> {
    /// A program can make up as many as it likes.
    private static final int MOST = 1_000;

    private final Policy policy;
    private final Broker broker;
    private final SessionId session;
    private final Set<Host> missed = ConcurrentHashMap.newKeySet();

    LookedUp(Policy policy, Broker broker, SessionId session) {
        this.policy = policy;
        this.broker = broker;
        this.session = session;
    }

    @Override
    public boolean test(Host host) {
        boolean known = Passage.leadsTo(policy, host);
        if (!known && missed.size() < MOST && missed.add(host)) {
            var wanted = new Action.Connect(Scheme.TCP, host, Scheme.HTTPS.port());
            var why = "no rule leads to this name, which was looked up";
            broker.refused(new Request(session, wanted), new Reason(Reason.DENIED, why, ""));
        }
        return known;
    }
}
