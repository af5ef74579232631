// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Host;
import dev.writ.core.capability.Limit.Resource;
import dev.writ.core.capability.Scope;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/// A policy within the rules of others: what all of them permit, and nothing else.
class BoundTest {
    private static final Scope SCOPE =
            new Scope(FilePath.of("/w"), FilePath.of("/home/op"), List.of(FilePath.of("/usr/bin")));

    /// Rules that overlap in many ways; every pair of sets of them is compared.
    private static final List<List<String>> SETS =
            List.of(
                    List.of("allow read:/w", "allow write:/w/src", "deny read:/w/secret"),
                    List.of("allow read:/", "ask write:/w", "allow exec:git"),
                    List.of("allow write:/w/src/test", "deny write:/w/src/test/.git/**"),
                    List.of("allow read:/w/*.txt", "deny exec:git push *", "allow exec:git"),
                    List.of("allow net:GET=https://a.test", "allow net:b.test:22", "allow env:A*"),
                    List.of("allow net:a.test:443", "allow net:https://b.test:22", "ask env:AB"),
                    List.of("allow net:https://a.test", "deny net:POST=https://a.test"),
                    List.of());

    private static final List<String> ACTIONS =
            List.of(
                    "read:/w/a.txt",
                    "read:/w/secret",
                    "read:/etc/passwd",
                    "write:/w/src/main",
                    "write:/w/src/test/a",
                    "write:/w/src/test/.git/hooks/x",
                    "exec:/usr/bin/git push origin",
                    "exec:/usr/bin/git status",
                    "net:a.test:443",
                    "net:GET=https://a.test/x",
                    "net:POST=https://a.test/x",
                    "net:b.test:22",
                    "env:AB",
                    "env:AC");

    private static Policy policy(List<String> rules) {
        return Policy.of(SCOPE, rules.stream().map(BoundTest::rule).toList(), List.of());
    }

    private static Policy policy(String... rules) {
        return policy(Arrays.asList(rules));
    }

    private static Rule rule(String text) {
        int at = text.indexOf(' ');
        var effect = Effect.valueOf(text.substring(0, at).toUpperCase(Locale.ROOT));
        return Rule.parse(effect, text.substring(at + 1), SCOPE, Source.of("test"));
    }

    private static Policy within(Policy policy, Policy... others) {
        return policy.within(Arrays.stream(others).map(p -> new Bound("block", p)).toList());
    }

    private static int rank(Decision decision) {
        return switch (decision) {
            case Decision.Deny _ -> 0;
            case Decision.Ask _ -> 1;
            case Decision.Allow _ -> 2;
        };
    }

    @Test
    void every_action_is_decided_as_the_strictest_of_all_decides_it() {
        for (var one : SETS) {
            for (var two : SETS) {
                for (var three : SETS) {
                    var alone = List.of(policy(one), policy(two), policy(three));
                    var both = within(policy(one), policy(two), policy(three));
                    for (var text : ACTIONS) {
                        var action = Action.parse(text, SCOPE);
                        int strictest =
                                alone.stream()
                                        .mapToInt(p -> rank(p.decide(action)))
                                        .min()
                                        .orElse(0);

                        assertThat(rank(both.decide(action)))
                                .as("%s under %s within %s and %s", text, one, two, three)
                                .isEqualTo(strictest);
                        assertThat(both.decide(action).isDenied())
                                .as("named against: %s", text)
                                .isEqualTo(
                                        alone.stream().anyMatch(p -> p.decide(action).isDenied()));
                    }
                }
            }
        }
    }

    @Test
    void a_connection_is_used_for_no_more_than_each_of_them_lets_it() {
        for (var one : SETS) {
            for (var two : SETS) {
                var both = within(policy(one), policy(two));
                for (var name : List.of("a.test", "b.test", "c.test")) {
                    var host = Host.parseLoose(name, 0);
                    for (int port : List.of(22, 443)) {
                        assertThat(Passage.of(both, host, port))
                                .isLessThanOrEqualTo(Passage.of(policy(one), host, port))
                                .isLessThanOrEqualTo(Passage.of(policy(two), host, port));
                    }
                    assertThat(Passage.leadsTo(both, host))
                            .isEqualTo(
                                    Passage.leadsTo(policy(one), host)
                                            && Passage.leadsTo(policy(two), host));
                }
                assertThat(Passage.looksIntoTls(both))
                        .isEqualTo(
                                Passage.looksIntoTls(policy(one))
                                        || Passage.looksIntoTls(policy(two)));
            }
        }
    }

    @Test
    void a_refusal_names_the_bound_and_the_policys_own_words_come_first() {
        var both = within(policy("allow read:/w"), policy("allow read:/w/src"));

        assertThat(explain(both, "read:/w/a")).isEqualTo("block, does not include `read:/w/a`");
        assertThat(explain(both, "read:/etc")).startsWith("no rule allows it");
        assertThat(explain(within(policy("allow read:/w"), policy("deny read:/w/a")), "read:/w/a"))
                .isEqualTo("block, denies `read:/w/a`");
        assertThat(explain(within(policy(), policy("deny read:/w/a")), "read:/w/a"))
                .isEqualTo("block, denies `read:/w/a`");
    }

    private static String explain(Policy policy, String action) {
        return Explanation.of(policy, Action.parse(action, SCOPE)).reason();
    }

    @Test
    void the_lowest_limit_holds() {
        var both = within(policy("allow limit:procs=9"), policy("allow limit:procs=4"));

        assertThat(both.limit(Resource.PROCS)).isEqualTo(4);
        assertThat(both.limit(Resource.TIME)).isEqualTo(policy().limit(Resource.TIME));
    }

    @Test
    void folders_are_alike_only_if_they_are_for_everybody() {
        var one = FilePath.of("/w/a");
        var other = FilePath.of("/w/b");
        var policy = policy("allow write:/w");

        assertThat(policy.treatsAlike(one, other)).isTrue();
        assertThat(within(policy, policy("allow write:/w/a")).treatsAlike(one, other)).isFalse();
    }

    @Test
    void a_folder_of_the_sessions_own_is_added_for_everybody_and_their_denies_stay() {
        var own = FilePath.of("/tmp/own");
        var granted = List.of(rule("allow write:/tmp/own"));
        var both =
                within(policy("allow write:/w"), policy("allow write:/w", "deny write:**/.env"))
                        .plus(granted, own);

        assertThat(rank(both.decide(Action.parse("write:/tmp/own/a", SCOPE)))).isEqualTo(2);
        assertThat(rank(both.decide(Action.parse("write:/tmp/own/.env", SCOPE)))).isZero();
        assertThat(rank(both.decide(Action.parse("write:/tmp/other", SCOPE)))).isZero();
    }
}
