// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static dev.writ.kernel.Filter.ALLOW;
import static dev.writ.kernel.Filter.Condition.bits;
import static dev.writ.kernel.Filter.Condition.low;
import static dev.writ.kernel.Filter.Condition.masked;
import static dev.writ.kernel.Filter.Condition.nonzero;
import static dev.writ.kernel.Filter.Condition.whole;
import static dev.writ.kernel.Filter.KILL_PROCESS;
import static dev.writ.kernel.Filter.NOTIFY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.writ.kernel.Filter.Action;
import dev.writ.kernel.Filter.Condition;
import dev.writ.kernel.Filter.Rule;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FilterTest {
    private static final Action EPERM = new Action.Errno(1);
    private static final Action ENOSYS = new Action.Errno(38);
    private static final int I386 = 0x40000003;
    private static final long HIGH = 0xabcd_ef01_0000_0000L;

    @Test
    void actions_have_the_values_of_the_kernel() {
        assertThat(ALLOW.value()).isEqualTo(0x7fff0000);
        assertThat(NOTIFY.value()).isEqualTo(0x7fc00000);
        assertThat(KILL_PROCESS.value()).isEqualTo(0x80000000);
        assertThat(new Action.Errno(0).value()).isEqualTo(0x00050000);
        assertThat(new Action.Errno(4095).value()).isEqualTo(0x00050fff);
    }

    @Test
    void a_call_is_answered_by_its_rule_and_another_by_the_rest() {
        var answers = answers(Map.of(Call.READ, Rule.always(ALLOW)), ENOSYS);

        assertThat(answers.run(Arch.X86_64.audit(), 0, new long[6])).isEqualTo(ALLOW.value());
        assertThat(answers.run(Arch.X86_64.audit(), 1, new long[6])).isEqualTo(ENOSYS.value());
    }

    @Test
    void a_foreign_architecture_ends_the_process_whatever_the_number() {
        var answers = answers(Map.of(Call.READ, Rule.always(ALLOW)), ALLOW);

        for (int arch : new int[] {I386, Arch.AARCH64.audit(), 0, -1}) {
            for (int number : new int[] {0, 1, 0x40000000, -1}) {
                assertThat(answers.run(arch, number, new long[6])).isEqualTo(KILL_PROCESS.value());
            }
        }
    }

    @Test
    void x32_calls_do_not_exist_even_where_all_is_allowed() {
        var answers = answers(Map.of(), ALLOW);

        for (int number : new int[] {0x40000000, 0x40000001, 0x40000208, 0x7fffffff, -1}) {
            assertThat(answers.run(Arch.X86_64.audit(), number, new long[6]))
                    .isEqualTo(ENOSYS.value());
        }
        assertThat(answers.run(Arch.X86_64.audit(), 0x3fffffff, new long[6]))
                .isEqualTo(ALLOW.value());
    }

    @Test
    void a_call_that_the_architecture_lacks_is_left_out() {
        var program = Filter.compile(Arch.AARCH64, Map.of(Call.OPEN, Rule.always(ALLOW)), ENOSYS);

        assertThat(program.instructions())
                .noneMatch(i -> i.code() == Bpf.BPF_RET_K && i.k() == ALLOW.value());
    }

    @Test
    void the_lower_half_is_compared_whatever_is_above() {
        assertHolds(low(1, 5), 5, HIGH | 5);
        assertFails(low(1, 5), 0, 4, 0xffff_ffffL, HIGH);
        assertHolds(low(1, -1), -1L, 0xffff_ffffL, HIGH | 0xffff_ffffL);
        assertHolds(masked(1, 0xf, 1), 1, 0x80801, HIGH | 0x11);
        assertFails(masked(1, 0xf, 1), 0, 3, 5, 0x10, HIGH);
        assertHolds(masked(1, 0xf, 0), 0, 0x10, HIGH);
        assertHolds(bits(1, 0x41), 1, 0x40, 0x41, HIGH | 0xff);
        assertFails(bits(1, 0x41), 0, 0xbe, HIGH);
        assertHolds(bits(1, 0x80000000), 0x8000_0000L, -1L);
        assertFails(bits(1, 0x80000000), 0x7fff_ffffL, HIGH);
    }

    @Test
    void both_halves_are_compared_where_asked() {
        long value = 0x0000_0001_0000_0005L;
        assertHolds(whole(1, value), value);
        assertFails(whole(1, value), 5, 0x1_0000_0000L, 0x2_0000_0005L, 0x1_0000_0004L);
        assertHolds(nonzero(1), 1, 0x1_0000_0000L, Long.MIN_VALUE, -1);
        assertFails(nonzero(1), 0);
        assertHolds(new Condition.AnyBit(1, 0x10_0000_0000L), 0x10_0000_0000L, -1L);
        assertFails(new Condition.AnyBit(1, 0x10_0000_0000L), 0x10, 0xffff_ffffL);
        assertHolds(new Condition.Equal(1, 0xf_0000_0000L, 0x3_0000_0000L), 0xf3_dead_beefL);
        assertFails(new Condition.Equal(1, 0xf_0000_0000L, 0x3_0000_0000L), 3, 0xf4_0000_0000L);
    }

    @Test
    void conditions_joined_hold_together_and_the_first_that_holds_decides() {
        var rule =
                new Rule(
                        List.of(
                                low(0, 1).and(masked(1, 0xf, 5)).and(nonzero(2)).then(NOTIFY),
                                low(0, 1).then(EPERM),
                                bits(1, 8).then(EPERM)),
                        ALLOW);

        assertAnswer(rule, NOTIFY, 1, 0x15, 1, 0, 0, 0);
        assertAnswer(rule, EPERM, 1, 0x15, 0, 0, 0, 0);
        assertAnswer(rule, EPERM, 2, 0xf, 1, 0, 0, 0);
        assertAnswer(rule, ALLOW, 2, 5, 1, 0, 0, 0);
    }

    @Test
    void a_word_is_loaded_once_for_a_row_of_comparisons() {
        var rule = new Rule(List.of(low(1, 1).then(EPERM), low(1, 2).then(NOTIFY)), ALLOW);
        var program = Filter.compile(Arch.AARCH64, Map.of(Call.IO_SETUP, rule), ENOSYS);

        assertThat(program)
                .hasToString(
                        """
                        0    load arch
                        1    if == 0xc00000b7 then +1 else +0
                        2    return kill
                        3    load number
                        4    if >= 0x1 then +0 else +1
                        5    return errno 38
                        6    load low 1
                        7    if == 0x1 then +2 else +0
                        8    if == 0x2 then +2 else +0
                        9    return allow
                        10   return errno 1
                        11   return notify""");
    }

    @Test
    void one_rule_for_several_calls_is_written_once() {
        var rule = new Rule(List.of(nonzero(0).then(EPERM)), ALLOW);
        int one = Filter.compile(Arch.X86_64, Map.of(Call.READ, rule), ENOSYS).size();
        int two =
                Filter.compile(Arch.X86_64, Map.of(Call.READ, rule, Call.OPEN, rule), ENOSYS)
                        .size();

        assertThat(two - one).as("comparisons, no rule and no answer").isEqualTo(2);
    }

    @Test
    void neighbors_that_answer_alike_are_not_told_apart() {
        var allow = Rule.always(ALLOW);
        var one = Filter.compile(Arch.X86_64, Map.of(Call.READ, allow), ENOSYS);
        var two = Filter.compile(Arch.X86_64, Map.of(Call.READ, allow, Call.WRITE, allow), ENOSYS);

        assertThat(two.size()).isEqualTo(one.size());
    }

    /// Every second call is allowed, so no two numbers share a range.
    @ParameterizedTest
    @EnumSource
    void any_number_is_found_within_a_dozen_comparisons(Arch arch) {
        var rules = new EnumMap<Call, Rule>(Call.class);
        for (var call : Call.values()) {
            if (call.number(arch) % 2 == 0) {
                rules.put(call, Rule.always(ALLOW));
            }
        }
        var machine = new Machine(Filter.compile(arch, rules, ENOSYS));
        int most = 0;
        for (int number = 0; number < 600; number++) {
            machine.run(arch.audit(), number, new long[6]);
            most = Math.max(most, machine.executed());
        }

        assertThat(most).isLessThanOrEqualTo(16);
    }

    @Test
    void what_cannot_be_meant_is_refused() {
        assertThatThrownBy(() -> new Action.Errno(-1)).hasMessageContaining("`-1`");
        assertThatThrownBy(() -> new Action.Errno(4096)).hasMessageContaining("`4096`");
        assertThatThrownBy(() -> low(6, 0)).hasMessageContaining("`6`");
        assertThatThrownBy(() -> low(-1, 0)).hasMessageContaining("`-1`");
        assertThatThrownBy(() -> bits(0, 0)).hasMessageContaining("a mask has a bit");
        assertThatThrownBy(() -> masked(0, 1, 2)).hasMessageContaining("`0x2`");
    }

    private static Machine answers(Map<Call, Rule> rules, Action otherwise) {
        return new Machine(Filter.compile(Arch.X86_64, rules, otherwise));
    }

    private static void assertHolds(Condition condition, long... values) {
        for (long value : values) {
            assertAnswer(new Rule(List.of(condition.then(ALLOW)), EPERM), ALLOW, 9, value, 9);
        }
    }

    private static void assertFails(Condition condition, long... values) {
        for (long value : values) {
            assertAnswer(new Rule(List.of(condition.then(ALLOW)), EPERM), EPERM, 9, value, 9);
        }
    }

    private static void assertAnswer(Rule rule, Action expected, long... arguments) {
        for (var arch : Arch.values()) {
            var machine = new Machine(Filter.compile(arch, Map.of(Call.IOCTL, rule), ENOSYS));
            assertThat(machine.run(arch.audit(), Call.IOCTL.number(arch), arguments))
                    .as("%s %s", rule, List.of(arguments))
                    .isEqualTo(expected.value());
            assertThat(rule.answer(arguments)).isEqualTo(expected);
        }
    }
}
