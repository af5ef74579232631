// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.Arbitrary;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.Limit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DiffTest {
    @Test
    void every_witness_is_denied_before_and_granted_after() {
        int widened = 0;
        for (int seed = 0; seed < Arbitrary.rounds(1_500); seed++) {
            var arbitrary = new Arbitrary(seed);
            var older = PolicyPropertiesTest.policy(PolicyPropertiesTest.rules(arbitrary, 6));
            var newer = PolicyPropertiesTest.policy(PolicyPropertiesTest.rules(arbitrary, 6));

            for (var widening : Diff.between(older, newer).widenings()) {
                widened++;
                var witness = widening.witness();
                assertThat(PolicyPropertiesTest.level(older, witness))
                        .as("seed " + seed + " " + widening)
                        .isGreaterThan(PolicyPropertiesTest.level(newer, witness));
                assertThat(older.decide(witness).word()).isEqualTo(widening.before().word());
                assertThat(newer.decide(witness).word()).isEqualTo(widening.after().word());
                // and the witness is an action that a person can type
                assertThat(Action.parse(witness.text(Arbitrary.SCOPE), Arbitrary.SCOPE))
                        .isEqualTo(witness);
            }
        }
        assertThat(widened).isGreaterThan(1_000);
    }

    @Test
    void no_widening_is_missed() {
        int equal = 0;
        for (int seed = 0; seed < Arbitrary.rounds(2_000); seed++) {
            var arbitrary = new Arbitrary(seed);
            var rules = PolicyPropertiesTest.rules(arbitrary, 6);
            var changed = change(rules, arbitrary);
            var older = PolicyPropertiesTest.policy(rules);
            var newer = PolicyPropertiesTest.policy(changed);

            var diff = Diff.between(older, newer);

            for (int i = 0; i < 300; i++) {
                var action = arbitrary.action();
                if (PolicyPropertiesTest.level(newer, action)
                        < PolicyPropertiesTest.level(older, action)) {
                    assertThat(diff.isEmpty()).as("seed " + seed + " misses " + action).isFalse();
                }
            }
            equal += diff.isEmpty() ? 1 : 0;
        }
        assertThat(equal).isBetween(100, Arbitrary.rounds(1_900));
    }

    @Test
    void a_policy_grants_nothing_beyond_itself() {
        for (int seed = 0; seed < Arbitrary.rounds(500); seed++) {
            var rules = PolicyPropertiesTest.rules(new Arbitrary(seed), 8);

            assertThat(
                            Diff.between(
                                            PolicyPropertiesTest.policy(rules),
                                            PolicyPropertiesTest.policy(rules.reversed()))
                                    .isEmpty())
                    .as("seed " + seed)
                    .isTrue();
        }
    }

    @Test
    void taking_a_deny_away_is_a_widening() {
        var diff = between(List.of("allow read:.", "deny read:./a*"), List.of("allow read:."));

        assertThat(diff.widenings())
                .singleElement()
                .satisfies(w -> assertThat(w.before()).isEqualTo(Effect.DENY));
    }

    @Test
    void from_ask_to_allow_is_a_widening_of_its_own() {
        var diff =
                between(List.of("ask exec:git push", "allow exec:git"), List.of("allow exec:git"));

        assertThat(diff.widenings())
                .singleElement()
                .satisfies(w -> assertThat(w.before()).isEqualTo(Effect.ASK));
    }

    @Test
    void naming_a_guarded_path_is_a_widening_although_the_folder_was_granted() {
        assertThat(
                        between(
                                        List.of("allow write:/p"),
                                        List.of("allow write:/p", "allow write:/p/ab"))
                                .isEmpty())
                .isFalse();
    }

    @Test
    void the_same_rights_in_other_words_are_no_widening() {
        assertThat(
                        between(
                                        List.of("allow read:/a", "allow read:/b/**"),
                                        List.of(
                                                "allow read:/a/**",
                                                "allow read:/b",
                                                "allow read:/a/x*"))
                                .isEmpty())
                .isTrue();
        assertThat(
                        between(
                                        List.of("allow net:a.com"),
                                        List.of(
                                                "allow net:https://a.com",
                                                "allow net:GET=http://a.com/x"))
                                .isEmpty())
                .isTrue();
    }

    @Test
    void a_lost_limit_is_a_widening() {
        var diff = between(List.of("allow limit:memory=1g"), List.of());

        assertThat(diff.widenings())
                .singleElement()
                .satisfies(
                        w ->
                                assertThat(w.witness())
                                        .isEqualTo(
                                                new Action.Spend(
                                                        new Limit(
                                                                Limit.Resource.MEMORY,
                                                                (1L << 30) + 1))));
        assertThat(between(List.of(), List.of("allow limit:memory=1g")).isEmpty()).isTrue();
    }

    @Test
    void asking_for_less_isolation_is_said() {
        var strong =
                Policy.of(
                        Arbitrary.SCOPE,
                        List.of(),
                        List.of(),
                        List.of(),
                        new Isolation.Against(List.of("kernel-exploit")),
                        _ -> List.of());
        var weak = Policy.of(Arbitrary.SCOPE, List.of(), List.of());

        assertThat(Diff.between(strong, weak).weakerIsolation()).isTrue();
        assertThat(Diff.between(weak, strong).isEmpty()).isTrue();
    }

    private static Diff between(List<String> older, List<String> newer) {
        return Diff.between(
                PolicyPropertiesTest.policy(parse(older)),
                PolicyPropertiesTest.policy(parse(newer)));
    }

    private static List<Rule> parse(List<String> lines) {
        return lines.stream()
                .map(
                        line -> {
                            int space = line.indexOf(' ');
                            var effect =
                                    Stream.of(Effect.values())
                                            .filter(e -> e.word().equals(line.substring(0, space)))
                                            .findFirst()
                                            .orElseThrow();
                            return Rule.parse(
                                    effect,
                                    line.substring(space + 1),
                                    Arbitrary.SCOPE,
                                    Source.of("test"));
                        })
                .toList();
    }

    /// The same rules with one taken away, added or replaced.
    private static List<Rule> change(List<Rule> rules, Arbitrary arbitrary) {
        var changed = new ArrayList<>(rules);
        if (arbitrary.chance(60)) {
            changed.remove(arbitrary.number(changed.size()));
        }
        if (arbitrary.chance(60)) {
            changed.addAll(PolicyPropertiesTest.rules(arbitrary, 1));
        }
        return changed;
    }
}
