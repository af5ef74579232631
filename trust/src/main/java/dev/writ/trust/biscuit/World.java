// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;

/// The facts of an evaluation, each with the blocks that it comes from, and what follows from them.
///
/// Origins are sets of blocks, one bit each; the authorizer has the last bit.
final class World {
    static final int AUTHORIZER = 63;

    record OriginFact(long origin, Predicate fact) {}

    /// A fact that is made costs about as much as so many comparisons.
    private static final int DERIVED = 4;

    private record ScopedRule(long trusted, int block, Rule rule) {}

    private final Limits limits;
    private final Budget budget;
    private final Evaluator evaluator;
    private final Set<OriginFact> facts = new LinkedHashSet<>();
    private final Map<String, List<OriginFact>> byName = new HashMap<>();
    private final List<ScopedRule> rules = new ArrayList<>();
    private int rounds;

    World(Limits limits) {
        this.limits = limits;
        this.budget = new Budget(limits.steps());
        this.evaluator = new Evaluator(budget);
    }

    static long bit(int block) {
        return 1L << block;
    }

    int steps() {
        return budget.spent();
    }

    int rounds() {
        return rounds;
    }

    Set<OriginFact> facts() {
        return facts;
    }

    /// Whether it is new.
    boolean add(long origin, Predicate fact) {
        budget.spend(fact.weight());
        var entry = new OriginFact(origin, fact);
        if (!facts.add(entry)) {
            return false;
        }
        if (facts.size() > limits.facts()) {
            throw new Budget.Spent("it has more than " + limits.facts() + " facts");
        }
        byName.computeIfAbsent(fact.name(), _ -> new ArrayList<>()).add(entry);
        return true;
    }

    void add(long trusted, int block, Rule rule) {
        rules.add(new ScopedRule(trusted, block, rule));
    }

    /// Adds all that follows.
    void run() {
        if (rules.isEmpty()) {
            return;
        }
        for (boolean more = true; more; ) {
            if (rounds == limits.rounds()) {
                throw new Budget.Spent("it needs more than " + rounds + " rounds");
            }
            var found = new ArrayList<OriginFact>();
            for (var scoped : rules) {
                search(
                        scoped.rule(),
                        scoped.trusted(),
                        (origin, values) -> {
                            if (holds(scoped.rule(), values)) {
                                budget.spend(DERIVED);
                                found.add(
                                        new OriginFact(
                                                origin | bit(scoped.block()),
                                                filled(scoped.rule().head(), values)));
                            }
                            return false;
                        });
            }
            more = false;
            for (var each : found) {
                more |= add(each.origin(), each.fact());
            }
            rounds += more ? 1 : 0;
        }
    }

    private static Predicate filled(Predicate head, Map<String, Term> values) {
        var terms = new ArrayList<Term>();
        for (var term : head.terms()) {
            terms.add(
                    term instanceof Term.Variable(var name)
                            ? values.getOrDefault(name, term)
                            : term);
        }
        return new Predicate(head.name(), terms);
    }

    /// Whether the query has an answer.
    boolean matches(Rule query, long trusted) {
        return search(query, trusted, (_, values) -> holds(query, values));
    }

    /// Whether its body finds something, and all it finds fits its expressions.
    boolean matchesAll(Rule query, long trusted) {
        boolean[] found = {false};
        boolean misfit =
                search(
                        query,
                        trusted,
                        (_, values) -> {
                            found[0] = true;
                            return !holds(query, values);
                        });
        return found[0] && !misfit;
    }

    private boolean holds(Rule rule, Map<String, Term> values) {
        for (var expression : rule.expressions()) {
            if (!evaluator.holds(expression, values)) {
                return false;
            }
        }
        return true;
    }

    private interface Found extends BiPredicate<Long, Map<String, Term>> {}

    private boolean search(Rule rule, long trusted, Found found) {
        budget.spend(1);
        return search(rule.body(), 0, trusted, 0, new HashMap<>(), found);
    }

    /// Calls `found` with all that the body fits, until it says true.
    private boolean search(
            List<Predicate> body,
            int at,
            long trusted,
            long origin,
            Map<String, Term> values,
            Found found) {
        if (at == body.size()) {
            budget.spend(1);
            return found.test(origin, values);
        }
        var wanted = body.get(at);
        for (var candidate : byName.getOrDefault(wanted.name(), List.of())) {
            budget.spend(1);
            if ((candidate.origin() & ~trusted) != 0) {
                continue;
            }
            var bound = new ArrayList<String>(2);
            if (unify(wanted, candidate.fact(), values, bound)
                    && search(body, at + 1, trusted, origin | candidate.origin(), values, found)) {
                return true;
            }
            bound.forEach(values::remove);
        }
        return false;
    }

    private boolean unify(
            Predicate wanted, Predicate fact, Map<String, Term> values, List<String> bound) {
        int size = wanted.terms().size();
        if (size != fact.terms().size()) {
            return false;
        }
        for (int i = 0; i < size; i++) {
            var term = fact.terms().get(i);
            var expected = wanted.terms().get(i);
            if (expected instanceof Term.Variable(var name)) {
                expected = values.putIfAbsent(name, term);
                if (expected == null) {
                    bound.add(name);
                    continue;
                }
            }
            budget.spend(term.weight());
            if (!term.equals(expected)) {
                return false;
            }
        }
        return true;
    }
}
