// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import dev.writ.backends.process.ProcessBackend;
import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.AuditLog;
import dev.writ.core.audit.InMemoryAuditLog;
import dev.writ.core.audit.SessionId;
import dev.writ.core.broker.Approver;
import dev.writ.core.broker.Broker;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Kind;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Policy;
import dev.writ.core.sandbox.Backend;
import dev.writ.core.sandbox.Proxy;
import dev.writ.core.sandbox.Sandbox;
import dev.writ.egress.Egress;
import dev.writ.egress.NoWayOut;
import dev.writ.egress.Outside;
import dev.writ.egress.Resolver;
import dev.writ.egress.secret.Secrets;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/// The front door for a host application: opens sessions in which commands run confined. No daemon,
/// no helper program; the host's own process is never restricted.
///
/// ```java
/// var writ = new Writ(Map.of("LANG", "C.UTF-8"));
/// try (var session = writ.open(policy, folder)) {
///     var outcome = session.run(List.of("git", "status"));
/// }
/// ```
public final class Writ {
    private final Map<String, String> variables;
    private final Backend backend;
    private final Approver approver;
    private final Set<String> acceptedWeaker;
    /// What the way out goes by, if somebody has said so: who stays inside loads nothing of it.
    private final Optional<Outside> outside;

    /// With the default backend, and nobody to ask.
    ///
    /// @param variables what a program may get to see, as far as its policy grants it
    public Writ(Map<String, String> variables) {
        this(variables, new ProcessBackend(), Approver.nobody(), Set.of());
    }

    /// @param acceptedWeaker guarantees to do without where this machine lacks them
    public Writ(
            Map<String, String> variables,
            Backend backend,
            Approver approver,
            Set<String> acceptedWeaker) {
        this(variables, backend, approver, acceptedWeaker, Optional.empty());
    }

    /// @param outside what the way out goes by
    public Writ(
            Map<String, String> variables,
            Backend backend,
            Approver approver,
            Set<String> acceptedWeaker,
            Outside outside) {
        this(variables, backend, approver, acceptedWeaker, Optional.of(outside));
    }

    private Writ(
            Map<String, String> variables,
            Backend backend,
            Approver approver,
            Set<String> acceptedWeaker,
            Optional<Outside> outside) {
        this.variables = Map.copyOf(variables);
        this.backend = backend;
        this.approver = approver;
        this.acceptedWeaker = Set.copyOf(acceptedWeaker);
        this.outside = outside;
    }

    /// The same, with names that lead where `resolver` says.
    public Writ resolvingBy(Resolver resolver) {
        return new Writ(
                variables, backend, approver, acceptedWeaker, outside().resolvingBy(resolver));
    }

    private Outside outside() {
        return outside.orElseGet(() -> Outside.of(variables));
    }

    /// Opens a session under `policy` whose commands start in `folder`. It remembers what was
    /// judged.
    ///
    /// @throws dev.writ.egress.secret.SecretException if a secret of the policy cannot be read
    public Session open(Policy policy, FilePath folder) {
        var log = new InMemoryAuditLog();
        return open(policy, folder, SessionNames.next(), "", log, log::events, Optional.empty());
    }

    /// The same with a record that the host keeps.
    public Session open(Policy policy, FilePath folder, AuditLog log) {
        return open(policy, folder, SessionNames.next(), "", log);
    }

    /// The same under a name of the host's.
    ///
    /// @param session its name in that record
    /// @param source where the policy came from, for the record
    public Session open(
            Policy policy, FilePath folder, SessionId session, String source, AuditLog log) {
        return open(policy, folder, session, source, log, List::of, Optional.empty());
    }

    /// The same with a token, under the policy that it leaves: nothing is permitted that the token
    /// does not permit, and everything ends with it.
    public Session open(SessionToken token, FilePath folder, String source, AuditLog log) {
        return open(
                token.policy(), folder, token.session(), source, log, List::of, Optional.of(token));
    }

    private Session open(
            Policy given,
            FilePath folder,
            SessionId id,
            String source,
            AuditLog log,
            Supplier<List<AuditEvent>> events,
            Optional<SessionToken> token) {
        // ORDER: if one is missing, nothing has been made yet.
        var secrets =
                given.secrets().isEmpty()
                        ? Optional.<Secrets>empty()
                        : WayOut.secrets(given, variables);
        var scratch =
                Scratch.isFor(given)
                        ? Optional.of(Scratch.make(Config.temporary(variables)))
                        : Optional.<Scratch>empty();
        var policy = scratch.map(s -> s.grant(given)).orElse(given);
        var granted = Environment.of(policy, variables);
        var environment =
                new HashMap<>(secrets.map(s -> s.environment(policy, granted)).orElse(granted));
        scratch.ifPresent(
                s -> {
                    Environment.temporary(policy, s.path()).forEach(environment::putIfAbsent);
                    environment.put("TMPDIR", s.path().toString());
                });
        boolean leadsOut = leadsOut(policy);
        if (!leadsOut) {
            secrets.ifPresent(Secrets::close);
        }
        var clock = InstantSource.system();
        var names = outside.map(o -> o.resolver().given()).orElse(List.of());
        var chronicle = new Chronicle(id, given, source, log, clock, token, names);
        var broker =
                new Broker(
                        policy,
                        approver,
                        chronicle,
                        clock,
                        () -> token.flatMap(SessionToken::ended));
        return new Session(
                id,
                policy,
                folder,
                environment,
                broker,
                chronicle,
                backend,
                acceptedWeaker,
                events,
                scratch,
                token.map(t -> new Tenure<>(t, chronicle, Sandbox::stop)),
                leadsOut ? wayOut(policy, broker, id, secrets) : new NoWayOut(policy, broker, id));
    }

    private static boolean leadsOut(Policy policy) {
        for (var rule : policy.rules()) {
            if (rule.effect() != Effect.DENY && rule.capability().kind() == Kind.NET) {
                return true;
            }
        }
        return false;
    }

    /// Apart, so that who stays inside loads nothing of it.
    private Proxy wayOut(Policy policy, Broker broker, SessionId id, Optional<Secrets> secrets) {
        return new Egress(policy, broker, id, InstantSource.system(), outside(), secrets);
    }
}
