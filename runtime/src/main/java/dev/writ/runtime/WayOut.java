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
import dev.writ.egress.Egress;
import dev.writ.egress.Outside;
import dev.writ.egress.Resolver;
import dev.writ.egress.secret.SecretReader;
import dev.writ.egress.secret.Secrets;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/// The proxy of a policy without a sandbox, for programs that something else confines and that are
/// told to use it.
public final class WayOut implements AutoCloseable {
    private final Egress egress;
    private final Chronicle chronicle;
    private final Map<String, String> placeholders;
    private final Optional<Tenure<WayOut>> tenure;
    private final CountDownLatch over = new CountDownLatch(1);
    private boolean expired; // guarded by this

    private WayOut(
            Egress egress,
            Chronicle chronicle,
            Map<String, String> placeholders,
            Optional<SessionToken> token) {
        this.egress = egress;
        this.placeholders = placeholders;
        this.chronicle = chronicle;
        this.tenure = token.map(t -> new Tenure<>(t, chronicle, WayOut::expire));
    }

    /// @param policy what the token leaves of it, if there is one
    /// @param token that it is opened with; everything ends with it
    /// @param source where the policy came from, for the record
    /// @param folder from where it was opened, for the record
    /// @param variables the operator's
    /// @throws dev.writ.egress.secret.SecretException if a secret of the policy cannot be read
    public static WayOut open(
            Policy policy,
            Optional<SessionToken> token,
            Approver approver,
            SessionId id,
            String source,
            FilePath folder,
            Map<String, String> variables,
            AuditLog log,
            Resolver resolver) {
        var secrets = secrets(policy, variables);
        var clock = InstantSource.system();
        var chronicle = new Chronicle(id, policy, source, log, clock, token, resolver.given());
        chronicle.open(List.of("writ", "proxy"), folder, "none", () -> posture(policy));
        var broker =
                new Broker(
                        policy,
                        approver,
                        chronicle,
                        clock,
                        () -> token.flatMap(SessionToken::ended));
        var outside = Outside.of(variables).resolvingBy(resolver);
        var proxy =
                new WayOut(
                        new Egress(policy, broker, id, clock, outside, secrets),
                        chronicle,
                        secrets.map(s -> s.environment(policy, Map.of())).orElse(Map.of()),
                        token);
        proxy.tenure.ifPresent(t -> t.add(proxy));
        return proxy;
    }

    /// Those of `policy`; empty if it has none.
    static Optional<Secrets> secrets(Policy policy, Map<String, String> variables) {
        return policy.secrets().isEmpty()
                ? Optional.empty()
                : Optional.of(Secrets.read(policy.secrets(), new SecretReader(variables)));
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

    /// What tells most programs to use it, its secret token among it; and what stands for secrets.
    public Map<String, String> variables() {
        var all = new HashMap<>(placeholders);
        all.putAll(egress.explicit().variables());
        return all;
    }

    /// The certificates, as text, that programs have to trust: those that this machine trusts, and
    /// that of the session. Empty if no connection is looked into.
    public Optional<String> authorities() {
        var system = Optional.ofNullable(egress.environment().get("SSL_CERT_FILE"));
        return egress.authority()
                .map(
                        own ->
                                system.flatMap(
                                                file ->
                                                        egress.instead(
                                                                FilePath.of(file), Path.of(file)))
                                        .map(all -> new String(all, StandardCharsets.ISO_8859_1))
                                        .orElse(own));
    }

    /// Ends all connections, and lets [#await] return.
    public synchronized void stop() {
        if (over.getCount() > 0) {
            egress.close();
            over.countDown();
        }
    }

    private synchronized void expire() {
        expired = true;
        stop();
    }

    /// Waits until somebody has stopped it.
    ///
    /// @return false if it ended because its token holds no more
    public boolean await() throws InterruptedException {
        over.await();
        synchronized (this) {
            return !expired;
        }
    }

    @Override
    public void close() {
        tenure.ifPresent(Tenure::close);
        stop();
        chronicle.ended(0);
        chronicle.close();
    }
}
