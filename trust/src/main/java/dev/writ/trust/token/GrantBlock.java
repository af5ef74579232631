// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.token;

import dev.writ.core.capability.SyntaxException;
import dev.writ.core.policy.Effect;
import dev.writ.trust.biscuit.BiscuitException;
import dev.writ.trust.biscuit.Block;
import dev.writ.trust.biscuit.Check;
import dev.writ.trust.biscuit.Expression;
import dev.writ.trust.biscuit.Expression.Binary;
import dev.writ.trust.biscuit.Expression.Value;
import dev.writ.trust.biscuit.Predicate;
import dev.writ.trust.biscuit.PublicKey;
import dev.writ.trust.biscuit.Rule;
import dev.writ.trust.biscuit.Term;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/// A grant as a block, in the one form that there is. The facts are the grant; the checks say what
/// a verifier that knows nothing of Writ can check: the time and the kind of action.
///
/// A block that says anything else, or in another order, is no grant. So nobody can hide in it what
/// we would pass over.
final class GrantBlock {
    private static final long FORM = 1;

    /// How far clocks may differ.
    static final Duration SKEW = Duration.ofSeconds(60);

    private GrantBlock() {}

    /// @param first whether it is the first of its token
    static Block write(Grant grant, boolean first) {
        return write(grant, first, new SpelledOut());
    }

    private static Block write(Grant grant, boolean first, SpelledOut capabilities) {
        var facts = new ArrayList<Predicate>();
        if (first) {
            facts.add(Predicate.of("writ", new Term.Int(FORM)));
        }
        facts.add(
                Predicate.of(
                        first ? "holder" : "delegate", new Term.Bytes(grant.holder().bytes())));
        text(facts, "name", grant.name());
        for (var line : grant.lines()) {
            text(facts, line.effect().word(), Optional.of(line.capability()));
        }
        facts.add(Predicate.of("issued", date(grant.issued())));
        facts.add(Predicate.of("expires", date(grant.expires())));
        facts.add(Predicate.of("depth", new Term.Int(grant.depth())));
        var terms = grant.terms();
        text(facts, "purpose", terms.purpose());
        text(facts, "session", terms.session());
        text(facts, "audience", terms.audience());
        bytes(facts, "nonce", terms.single().map(Grant.Single::nonce));
        bytes(facts, "arguments", terms.single().flatMap(Grant.Single::arguments));
        return Block.of(facts, List.of(), checks(grant, capabilities));
    }

    private static void text(List<Predicate> facts, String name, Optional<String> value) {
        value.ifPresent(v -> facts.add(Predicate.of(name, new Term.Text(v))));
    }

    private static void bytes(List<Predicate> facts, String name, Optional<String> hex) {
        hex.ifPresent(
                h -> facts.add(Predicate.of(name, new Term.Bytes(HexFormat.of().parseHex(h)))));
    }

    private static Term date(Instant time) {
        return new Term.Date(time.getEpochSecond());
    }

    private static List<Check> checks(Grant grant, SpelledOut capabilities) {
        return List.of(
                check("time", "t", Binary.LESS, date(grant.expires())),
                check("time", "t", Binary.GREATER_OR_EQUAL, date(grant.issued().minus(SKEW))),
                kinds(grant, capabilities));
    }

    private static Check check(String fact, String variable, Binary op, Term bound) {
        var term = new Term.Variable(variable);
        return only(fact, term, Expression.of(new Value(term), new Value(bound), op));
    }

    private static Check kinds(Grant grant, SpelledOut capabilities) {
        var words = new TreeSet<String>();
        for (var line : grant.lines()) {
            if (line.effect() != Effect.DENY) {
                words.addAll(capabilities.kinds(line.capability()));
            }
        }
        var set = new Term.Set(words.stream().<Term>map(Term.Text::new).toList());
        var kind = new Term.Variable("k");
        return only("kind", kind, Expression.of(new Value(set), new Value(kind), Binary.CONTAINS));
    }

    private static Check only(String fact, Term term, Expression expression) {
        var query = Rule.query(List.of(Predicate.of(fact, term)), List.of(expression), List.of());
        return new Check(Check.Kind.IF, List.of(query));
    }

    /// @param capabilities those of the token so far
    /// @throws BiscuitException if the block is no grant
    static Grant read(Block block, boolean first, SpelledOut capabilities) {
        try {
            var grant = new GrantReader(block.facts()).grant(first ? "holder" : "delegate");
            refuseUnsound(grant);
            grant.lines().forEach(line -> capabilities.kinds(line.capability()));
            if (write(grant, first, capabilities).equals(block)) {
                return grant;
            }
        } catch (SyntaxException e) {
            throw new BiscuitException("a capability that is none: " + e.getMessage());
        }
        throw new BiscuitException("it says more than a grant does, or something twice");
    }

    /// What no honest giver says.
    private static void refuseUnsound(Grant grant) {
        if (grant.depth() < 0 || grant.depth() > Grant.DEEPEST) {
            throw new BiscuitException("a depth of " + grant.depth());
        }
        var life = Duration.between(grant.issued(), grant.expires());
        if (life.isNegative() || life.isZero() || life.compareTo(Grant.LONGEST) > 0) {
            throw new BiscuitException("it would live for " + life);
        }
        if (grant.holder().algorithm() != PublicKey.Algorithm.ED25519) {
            throw new BiscuitException("its holder has no Ed25519 key");
        }
    }
}
