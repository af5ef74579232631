// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.backends.process.Facts.Kind;
import dev.writ.backends.process.Plan.KernelRule;
import dev.writ.backends.process.Plan.Right;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import dev.writ.core.policy.Bound;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Rule;
import dev.writ.core.policy.Source;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/// What a policy becomes, without a kernel.
class PlannerTest {
    private static final Scope SCOPE =
            new Scope(
                    FilePath.of("/ws"),
                    FilePath.of("/home/me"),
                    List.of(FilePath.of("/usr/bin"), FilePath.of("/bin")));

    private static final Facts MODERN = facts(7);

    private static Facts facts(int landlock) {
        return new Facts(landlock, true, PlannerTest::kind, _ -> false);
    }

    private static Kind kind(FilePath path) {
        return switch (path.toString()) {
            case "/etc/passwd", "/usr/bin/git", "/usr/bin/sh", "/lib64/ld-linux-x86-64.so.2" ->
                    Kind.FILE;
            case "/dev/null" -> Kind.DEVICE;
            case "/ws", "/usr", "/usr/bin", "/etc", "/", "/ws/logs" -> Kind.FOLDER;
            default -> Kind.MISSING;
        };
    }

    private static Plan plan(Facts facts, List<Rule> guards, Rule... rules) {
        return Planner.plan(Policy.of(SCOPE, List.of(rules), guards), facts);
    }

    private static Plan plan(Rule... rules) {
        return plan(MODERN, List.of(), rules);
    }

    private static Rule allow(String capability) {
        return rule(Effect.ALLOW, capability);
    }

    private static Rule deny(String capability) {
        return rule(Effect.DENY, capability);
    }

    private static Rule rule(Effect effect, String capability) {
        return Rule.parse(effect, capability, SCOPE, Source.of("test"));
    }

    private static Stream<KernelRule> on(Plan plan, String path) {
        return plan.kernelRules().stream().filter(r -> r.path().toString().equals(path));
    }

    @Test
    void the_kernel_grants_nothing_by_itself_where_a_token_has_a_say() {
        var policy = Policy.of(SCOPE, List.of(allow("read:/usr"), allow("write:/ws")), List.of());
        // As much as the policy grants: it can be revoked all the same.
        var plan = Planner.plan(policy.within(List.of(new Bound("block", policy))), MODERN);

        assertThat(plan.reads().brokered()).isTrue();
        assertThat(plan.writes().brokered()).isTrue();
        assertThat(on(plan, "/usr")).isEmpty();
        assertThat(on(plan, "/ws")).isEmpty();
        assertThat(plan.reads().why()).contains("token");
    }

    @Nested
    class The_kernel_alone {
        @Test
        void reads_and_writes_whole_folders() {
            var plan = plan(allow("read:/usr"), allow("write:/ws"));

            assertThat(plan.reads().brokered()).isFalse();
            assertThat(plan.writes().brokered()).isFalse();
            assertThat(on(plan, "/usr"))
                    .containsExactly(new KernelRule(FilePath.of("/usr"), Set.of(Right.READ)));
            assertThat(on(plan, "/ws"))
                    .containsExactly(
                            new KernelRule(FilePath.of("/ws"), Set.of(Right.READ, Right.WRITE)));
        }

        @Test
        void reads_while_writes_are_judged() {
            var plan = plan(allow("read:/usr"), allow("write:/ws"), deny("write:/ws/.git"));

            assertThat(plan.reads().brokered()).isFalse();
            assertThat(plan.writes().why()).contains("write:/ws/.git").contains("denies");
            assertThat(on(plan, "/ws"))
                    .containsExactly(new KernelRule(FilePath.of("/ws"), Set.of(Right.READ)));
        }

        @Test
        void does_not_mind_a_deny_elsewhere() {
            var plan = plan(allow("write:/ws"), deny("write:/etc"), deny("read:/home"));

            assertThat(plan.reads().brokered()).isFalse();
            assertThat(plan.writes().brokered()).isFalse();
        }

        @Test
        void is_told_once_what_a_folder_above_grants_too() {
            var plan =
                    plan(allow("read:/usr"), allow("exec:/usr/bin/**"), allow("exec:/usr/bin/git"));
            var starts = Set.of(Right.READ, Right.EXECUTE);

            assertThat(on(plan, "/usr")).hasSize(1);
            assertThat(on(plan, "/usr/bin"))
                    .as("more than above")
                    .containsExactly(new KernelRule(FilePath.of("/usr/bin"), starts));
            assertThat(on(plan, "/usr/bin/git")).isEmpty();
        }

        @Test
        void is_told_of_the_loader_whose_folder_may_be_a_link() {
            var plan = plan(allow("shell:*"));

            assertThat(on(plan, "/")).hasSize(1);
            assertThat(on(plan, "/lib64/ld-linux-x86-64.so.2")).hasSize(1);
        }

        @Test
        void grants_nothing_that_is_not_there() {
            assertThat(on(plan(allow("read:/nowhere")), "/nowhere")).isEmpty();
        }
    }

    @Nested
    class Reads_are_judged_because {
        @Test
        void of_a_deny_inside_a_grant() {
            assertThat(plan(allow("read:/ws"), deny("read:/ws/secret")).reads().why())
                    .contains("read:/ws/secret")
                    .contains("denies inside");
        }

        @Test
        void of_a_question() {
            assertThat(plan(allow("read:/ws"), rule(Effect.ASK, "read:/ws/notes")).reads().why())
                    .contains("asks");
        }

        @Test
        void of_a_guard_that_may_lie_anywhere() {
            assertThat(
                            plan(MODERN, List.of(deny("read:**/.env")), allow("read:/usr"))
                                    .reads()
                                    .brokered())
                    .isTrue();
        }

        @Test
        void of_a_pattern() {
            assertThat(plan(allow("read:/ws/*.txt")).reads().why()).contains("finer than a folder");
        }

        @Test
        void of_a_file_that_may_be_replaced() {
            assertThat(plan(allow("read:/etc/passwd")).reads().why()).contains("names a file");
        }

        @Test
        void of_processes_and_devices() {
            assertThat(plan(allow("read:/proc/self")).reads().brokered()).isTrue();
            assertThat(plan(allow("read:/")).reads().brokered()).isTrue();
            assertThat(plan(allow("read:/dev")).reads().brokered()).isTrue();
            assertThat(plan(allow("device:gpu")).reads().brokered()).isTrue();
        }

        @Test
        void of_a_program_that_may_be_started_and_not_read() {
            assertThat(plan(allow("exec:/usr/bin/git")).reads().why())
                    .contains("may be started and not read");
            assertThat(plan(allow("exec:/usr/bin/git"), allow("read:/usr")).reads().brokered())
                    .isFalse();
        }

        @Test
        void and_writes_with_them() {
            var plan = plan(allow("write:/ws"), deny("read:/ws/secret"));

            assertThat(plan.reads().brokered()).isTrue();
            assertThat(plan.writes().brokered()).isTrue();
            assertThat(on(plan, "/ws")).isEmpty();
        }
    }

    @Nested
    class Programs {
        @Test
        void are_walled_in_by_the_kernel_as_far_as_it_can() {
            var plan = plan(allow("exec:git push"), allow("read:**/.env"));

            assertThat(on(plan, "/usr/bin/git"))
                    .containsExactly(
                            new KernelRule(
                                    FilePath.of("/usr/bin/git"),
                                    Set.of(Right.READ, Right.EXECUTE)));
            assertThat(on(plan, "/")).isEmpty();
            assertThat(on(plan, "/usr")).isEmpty();
        }

        @Test
        void that_can_be_made_anew_are_walled_in_with_the_folder_that_stays() {
            var rules = new Rule[] {allow("exec:./.venv/bin/*"), allow("exec:./logs/*")};

            assertThat(on(plan(rules), "/ws")).isEmpty();
            assertThat(on(plan(rules), "/ws/logs")).hasSize(1);
            var plan =
                    plan(
                            Stream.concat(Stream.of(rules), Stream.of(allow("write:.")))
                                    .toArray(Rule[]::new));
            assertThat(on(plan, "/ws").flatMap(r -> r.rights().stream())).contains(Right.EXECUTE);
            assertThat(on(plan, "/ws/logs")).isEmpty();
        }

        @Test
        void need_their_loader() {
            assertThat(on(plan(), "/lib64/ld-linux-x86-64.so.2")).hasSize(1);
        }

        @Test
        void that_are_denied_get_no_rule() {
            assertThat(on(plan(deny("exec:git")), "/usr/bin/git")).isEmpty();
        }

        @Test
        void that_are_asked_for_can_be_started() {
            assertThat(on(plan(rule(Effect.ASK, "exec:git")), "/usr/bin/git")).hasSize(1);
        }
    }

    @Nested
    class What_is_missing {
        @Test
        void is_nothing_on_a_modern_kernel() {
            assertThat(plan().missing()).isEmpty();
        }

        /// There `.GIT/hooks` is `.git/hooks`.
        @Test
        void rules_that_forbid_know_one_spelling_where_letters_are_one() {
            var facts =
                    new Facts(7, true, PlannerTest::kind, path -> path.toString().equals("/ws"));

            assertThat(plan(facts, List.of(), allow("write:."), deny("write:./.git")).missing())
                    .extracting(Plan.Missing::name, Plan.Missing::acceptable)
                    .containsExactly(org.assertj.core.groups.Tuple.tuple("letters", true));
            assertThat(plan(facts, List.of(deny("read:**/.env")), allow("read:.")).missing())
                    .hasSize(1);
            assertThat(plan(facts, List.of(), allow("write:.")).missing()).isEmpty();
            assertThat(plan(facts, List.of(), allow("write:."), deny("write:/etc/x")).missing())
                    .isEmpty();
            assertThat(plan(facts, List.of(), allow("read:/usr"), deny("read:/usr/x")).missing())
                    .isEmpty();
        }

        @Test
        void is_named_and_can_be_accepted_where_that_is_no_folly() {
            assertThat(plan(facts(5), List.of()).missing())
                    .extracting(Plan.Missing::name, Plan.Missing::acceptable)
                    .containsExactly(org.assertj.core.groups.Tuple.tuple("signals", true));
            assertThat(plan(facts(0), List.of()).missing())
                    .extracting(Plan.Missing::name, Plan.Missing::acceptable)
                    .containsExactly(org.assertj.core.groups.Tuple.tuple("landlock", false));
        }
    }
}
