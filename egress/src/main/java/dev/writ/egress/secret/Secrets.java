// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.secret;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.Host;
import dev.writ.core.capability.Scheme;
import dev.writ.core.policy.Decision;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.SecretDefinition;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The secrets of one session. Programs see something that stands for them; the values go out with
/// requests to their destinations, and are taken out of what comes back.
///
/// May be used from several threads.
public final class Secrets implements AutoCloseable {
    private final List<Kept> kept;
    private final Automaton marks;
    private final Automaton values;
    private final Probes probes = new Probes();

    private Secrets(List<Kept> kept) {
        this.kept = List.copyOf(kept);
        this.marks = new Automaton(kept.stream().map(Kept::marks).toList());
        this.values =
                new Automaton(kept.stream().map(k -> Spellings.of(k.value().bytes())).toList());
    }

    /// Reads all of them now: one that is missing shows before anything has happened.
    ///
    /// @throws SecretException if one cannot be read
    public static Secrets read(List<SecretDefinition> definitions, SecretReader reader) {
        var random = new SecureRandom();
        var kept = new ArrayList<Kept>();
        definitions.forEach(d -> kept.add(new Kept(d, reader.read(d), random)));
        return new Secrets(kept);
    }

    /// The variables of a program: `granted`, in which no value of a secret is left, and those in
    /// which programs look for one.
    public Map<String, String> environment(Policy policy, Map<String, String> granted) {
        var variables = new HashMap<String, String>();
        granted.forEach((name, value) -> variables.put(name, concealed(value)));
        for (var secret : kept) {
            secret.definition()
                    .variable()
                    .filter(name -> isVisible(policy.decide(new Action.SeeVariable(name))))
                    .ifPresent(name -> variables.put(name, secret.placeholder()));
        }
        return variables;
    }

    /// What stands for a secret is no secret, so no rule is needed to see it; but one can forbid
    /// it.
    private static boolean isVisible(Decision decision) {
        return !(decision instanceof Decision.Deny) || decision.isUnmatched();
    }

    private String concealed(String text) {
        var result = text;
        for (var secret : kept) {
            var value = new String(secret.value().bytes(), StandardCharsets.UTF_8);
            result = result.replace(value, secret.placeholder());
        }
        return result;
    }

    /// Which secrets go to a destination. Each is to be judged before [#begin].
    ///
    /// @param scheme how it is spoken to; `wss` counts as `https`
    public List<Action.UseSecret> uses(Scheme scheme, Host host, int port) {
        return boundFor(scheme, host, port).stream()
                .map(k -> use(k.definition().name(), scheme, host, port))
                .toList();
    }

    /// What it means to use one there.
    public static Action.UseSecret use(String name, Scheme scheme, Host host, int port) {
        return new Action.UseSecret(name, plain(scheme), host, port);
    }

    private List<Kept> boundFor(Scheme scheme, Host host, int port) {
        return kept.stream()
                .filter(k -> k.mayGo(use(k.definition().name(), scheme, host, port)))
                .toList();
    }

    private static Scheme plain(Scheme scheme) {
        return switch (scheme) {
            case WSS -> Scheme.HTTPS;
            case WS -> Scheme.HTTP;
            default -> scheme;
        };
    }

    /// A request is about to be sent. Its head is looked through, and changed: what is written down
    /// about the request has to be taken from it before.
    ///
    /// @param permitted the names of those of [#uses] that may be used
    public Sending begin(Head head, Scheme scheme, Host host, int port, Set<String> permitted) {
        return Exchange.begin(
                new Exchange.Known(kept, marks, values, probes),
                head,
                boundFor(scheme, host, port),
                permitted);
    }

    /// Whether there is none.
    public boolean isEmpty() {
        return kept.isEmpty();
    }

    /// Overwrites the values.
    @Override
    public void close() {
        kept.forEach(k -> k.value().wipe());
    }
}
