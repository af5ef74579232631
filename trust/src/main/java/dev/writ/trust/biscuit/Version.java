// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import dev.writ.trust.biscuit.Expression.Binary;
import dev.writ.trust.biscuit.Expression.Closure;
import dev.writ.trust.biscuit.Expression.Op;
import dev.writ.trust.biscuit.Expression.Unary;
import dev.writ.trust.biscuit.Expression.Value;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// Which version of Datalog a block needs.
final class Version {
    static final int OLDEST = 3;
    static final int V3_1 = 4;
    static final int THIRD_PARTY = 5;
    static final int NEWEST = 6;

    private static final Set<Binary> SINCE_3_1 =
            EnumSet.of(Binary.BIT_AND, Binary.BIT_OR, Binary.BIT_XOR, Binary.STRICT_NOT_EQUAL);
    private static final Set<Binary> SINCE_3_3 =
            EnumSet.of(
                    Binary.EQUAL,
                    Binary.NOT_EQUAL,
                    Binary.LAZY_AND,
                    Binary.LAZY_OR,
                    Binary.ALL,
                    Binary.ANY);

    private Version() {}

    /// The oldest version that this block may say it is of, as other implementations see it: they
    /// take arrays and maps in any.
    static int needed(Block block) {
        var rules = rules(block);
        if (block.checks().stream().anyMatch(c -> c.kind() == Check.Kind.REJECT)
                || terms(block, rules).anyMatch(Version::isNew)
                || ops(rules).anyMatch(Version::isNew)) {
            return NEWEST;
        }
        boolean scoped =
                !block.scopes().isEmpty() || rules.stream().anyMatch(r -> !r.scopes().isEmpty());
        return scoped
                        || block.checks().stream().anyMatch(c -> c.kind() == Check.Kind.ALL)
                        || ops(rules).anyMatch(SINCE_3_1::contains)
                ? V3_1
                : OLDEST;
    }

    /// The version to write: what has arrays or maps is of the newest.
    static int written(Block block) {
        var rules = rules(block);
        boolean newest =
                terms(block, rules)
                                .anyMatch(
                                        t ->
                                                t instanceof Term.Array
                                                        || t instanceof Term.Dictionary)
                        || ops(rules)
                                .anyMatch(
                                        op ->
                                                op == Binary.GET
                                                        || op == Binary.TRY_OR
                                                        || op instanceof Value(Term.Array _)
                                                        || op instanceof Value(Term.Dictionary _));
        return newest ? NEWEST : needed(block);
    }

    private static List<Rule> rules(Block block) {
        return Stream.concat(
                        block.rules().stream(),
                        block.checks().stream().flatMap(c -> c.queries().stream()))
                .toList();
    }

    private static Stream<Term> terms(Block block, List<Rule> rules) {
        return Stream.concat(
                        block.facts().stream(),
                        rules.stream()
                                .flatMap(
                                        r -> Stream.concat(Stream.of(r.head()), r.body().stream())))
                .flatMap(p -> p.terms().stream());
    }

    private static Stream<Op> ops(List<Rule> rules) {
        return rules.stream().flatMap(r -> r.expressions().stream()).flatMap(e -> e.ops().stream());
    }

    private static boolean isNew(Term term) {
        return term instanceof Term.Null
                || (term instanceof Term.Set set && set.elements().contains(new Term.Null()));
    }

    private static boolean isNew(Op op) {
        return switch (op) {
            case Value(var term) -> isNew(term);
            case Closure _ -> true;
            case Unary unary -> unary == Unary.TYPE;
            case Binary binary -> SINCE_3_3.contains(binary);
        };
    }
}
