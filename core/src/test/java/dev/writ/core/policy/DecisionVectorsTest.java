// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.Vectors;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.Scope;
import dev.writ.core.capability.SyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// Runs `vectors/decisions.json`, which every implementation must agree on.
class DecisionVectorsTest {
    private static final Vectors VECTORS = Vectors.read("decisions.json");

    @Test
    void there_are_enough_vectors_to_mean_something() {
        assertThat(VECTORS.cases()).hasSizeGreaterThan(150);
    }

    @TestFactory
    Stream<DynamicTest> a_policy_decides_as_it_should() {
        return VECTORS.cases().stream()
                .map(
                        c ->
                                DynamicTest.dynamicTest(
                                        Vectors.text(c, "action")
                                                + " ("
                                                + Vectors.text(c, "why")
                                                + ")",
                                        () ->
                                                assertThat(decide(c, VECTORS.scope()))
                                                        .as(c.toString())
                                                        .isEqualTo(Vectors.text(c, "decision"))));
    }

    private static String decide(Map<String, Object> c, Scope scope) {
        var rules = new ArrayList<Rule>();
        for (var effect : Effect.values()) {
            for (var text : Vectors.texts(c, effect.word())) {
                rules.add(Rule.parse(effect, text, scope, Source.of("vector")));
            }
        }
        var policy = Policy.of(scope, rules, guards(scope));
        try {
            return policy.decide(Action.parse(Vectors.text(c, "action"), scope)).word();
        } catch (SyntaxException e) {
            return Effect.DENY.word();
        }
    }

    /// The guards that the vectors are written for.
    private static List<Rule> guards(Scope scope) {
        return VECTORS.guards().stream()
                .map(g -> Rule.parse(Effect.DENY, g, scope, Source.of("guard")))
                .toList();
    }
}
