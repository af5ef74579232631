// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.Arbitrary;
import dev.writ.core.capability.Action;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// What must hold for every policy, tried on many.
class PolicyPropertiesTest {
    @Test
    void the_order_of_rules_does_not_matter() {
        for (int seed = 0; seed < Arbitrary.rounds(2_000); seed++) {
            var arbitrary = new Arbitrary(seed);
            var rules = rules(arbitrary, 8);
            var shuffled = new ArrayList<>(rules);
            Collections.shuffle(shuffled, new Random(seed));
            var policy = policy(rules);
            var other = policy(shuffled);

            for (int i = 0; i < 20; i++) {
                var action = arbitrary.action();
                assertThat(other.decide(action).word())
                        .as("seed " + seed)
                        .isEqualTo(policy.decide(action).word());
            }
            assertThat(Canonical.digest(other))
                    .as("seed " + seed)
                    .isEqualTo(Canonical.digest(policy));
        }
    }

    @Test
    void a_deny_never_allows_more_and_an_allow_never_denies_more() {
        for (int seed = 0; seed < Arbitrary.rounds(4_000); seed++) {
            var arbitrary = new Arbitrary(seed);
            var rules = rules(arbitrary, 6);
            var more = new ArrayList<>(rules);
            var effect = arbitrary.chance(50) ? Effect.DENY : Effect.ALLOW;
            more.add(rule(effect, arbitrary.capabilityText()));
            var policy = policy(rules);
            var other = policy(more);

            for (int i = 0; i < 20; i++) {
                var action = arbitrary.action();
                int change = level(other, action) - level(policy, action);
                assertThat(effect == Effect.DENY ? change >= 0 : change <= 0)
                        .as("seed " + seed + " " + action)
                        .isTrue();
            }
        }
    }

    @Test
    void the_suggestion_of_a_denial_really_allows() {
        int suggestions = 0;
        for (int seed = 0; seed < Arbitrary.rounds(5_000); seed++) {
            var arbitrary = new Arbitrary(seed);
            var rules = rules(arbitrary, 5);
            var action = arbitrary.action();
            if (!(policy(rules).decide(action) instanceof Decision.Unmatched
                    || policy(rules).decide(action) instanceof Decision.Guarded)) {
                continue;
            }
            suggestions++;
            var suggestion = Explanation.of(policy(rules), action).suggestion();
            var better = new ArrayList<>(rules);
            better.add(rule(Effect.ALLOW, suggestion.replaceAll("^add `(.*)` to `allow`$", "$1")));

            assertThat(policy(better).decide(action))
                    .as("seed " + seed + ": " + suggestion)
                    .isNotInstanceOf(Decision.Deny.class);
        }
        assertThat(suggestions).isGreaterThan(1_000);
    }

    @Test
    void deciding_from_many_threads_gives_what_one_thread_gives() {
        var arbitrary = new Arbitrary(7);
        var policy = policy(rules(arbitrary, 60));
        var actions =
                java.util.stream.IntStream.range(0, 500).mapToObj(_ -> arbitrary.action()).toList();
        var expected = actions.stream().map(a -> policy.decide(a).word()).toList();

        var found =
                java.util.stream.IntStream.range(0, 40)
                        .parallel()
                        .mapToObj(
                                _ ->
                                        actions.parallelStream()
                                                .map(a -> policy.decide(a).word())
                                                .toList())
                        .toList();

        assertThat(found).allMatch(expected::equals);
    }

    static List<Rule> rules(Arbitrary arbitrary, int most) {
        var rules = new ArrayList<Rule>();
        for (int i = arbitrary.number(most); i >= 0; i--) {
            int roll = arbitrary.number(10);
            rules.add(
                    rule(
                            roll < 6 ? Effect.ALLOW : roll < 8 ? Effect.ASK : Effect.DENY,
                            arbitrary.capabilityText()));
        }
        return rules;
    }

    static Policy policy(List<Rule> rules) {
        return Policy.of(
                Arbitrary.SCOPE,
                rules,
                List.of(
                        rule(Effect.DENY, "write:**/ab"),
                        rule(Effect.DENY, "read:**/.env"),
                        rule(Effect.DENY, "read:/h/*a/b")));
    }

    private static Rule rule(Effect effect, String capability) {
        return Rule.parse(effect, capability, Arbitrary.SCOPE, Source.of("test"));
    }

    /// 0 allow, 1 ask, 2 deny.
    static int level(Policy policy, Action action) {
        return switch (policy.decide(action)) {
            case Decision.Allow _ -> 0;
            case Decision.Ask _ -> 1;
            case Decision.Deny _ -> 2;
        };
    }
}
