// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.kernel.Filter.Action;
import dev.writ.kernel.Filter.Condition;
import dev.writ.kernel.Filter.Rule;
import dev.writ.kernel.Filter.When;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What must hold for every table, tried on many: the program answers what the table says.
class FilterPropertiesTest {
    private static final int X32 = 0x40000000;
    private static final int ROUNDS = 200 * Integer.getInteger("writ.soak", 1);
    private static final List<Action> ACTIONS =
            List.of(
                    Filter.ALLOW,
                    Filter.NOTIFY,
                    Filter.KILL_PROCESS,
                    new Action.Errno(0),
                    new Action.Errno(1),
                    new Action.Errno(38));

    /// Few values, so that conditions and arguments meet often, in each half of the register.
    private static final long[] WORDS = {0, 1, 2, 3, 0xf, 0x41, 0x8000_0000L, 0xffff_ffffL};

    @ParameterizedTest
    @EnumSource
    void a_program_answers_every_number_as_the_table_does(Arch arch) {
        for (int seed = 0; seed < ROUNDS; seed++) {
            var random = new Random(seed);
            var table = table(random);
            var otherwise = action(random);
            var machine = new Machine(Filter.compile(arch, table, otherwise));
            var rules = new Rule[601];
            Arrays.fill(rules, Rule.always(otherwise));
            table.forEach(
                    (call, rule) -> {
                        if (call.exists(arch)) {
                            rules[call.number(arch)] = rule;
                        }
                    });

            for (int number = 0; number < rules.length; number++) {
                for (int i = 0; i < 4; i++) {
                    var arguments = arguments(random);
                    assertThat(machine.run(arch.audit(), number, arguments))
                            .as("seed %d number %d %s", seed, number, Arrays.toString(arguments))
                            .isEqualTo(rules[number].answer(arguments).value());
                }
                var beyond = arch == Arch.X86_64 ? new Action.Errno(38) : otherwise;
                assertThat(machine.run(arch.audit(), number | X32, arguments(random)))
                        .as("seed %d number %d and bit 30", seed, number)
                        .isEqualTo(beyond.value());
                assertThat(machine.run(random.nextInt() | 1 << 20, number, arguments(random)))
                        .as("seed %d number %d elsewhere", seed, number)
                        .isEqualTo(Filter.KILL_PROCESS.value());
            }
        }
    }

    /// From nearly empty to full. Only a few have arguments to look at in a full one, as the whole
    /// must stay below what the kernel takes.
    private static Map<Call, Rule> table(Random random) {
        var table = new EnumMap<Call, Rule>(Call.class);
        int percent = random.nextInt(101);
        for (var call : Call.values()) {
            if (random.nextInt(100) < percent) {
                table.put(
                        call, random.nextInt(4) == 0 ? rule(random) : Rule.always(action(random)));
            }
        }
        return table;
    }

    private static Rule rule(Random random) {
        var whens = new ArrayList<When>();
        for (int i = random.nextInt(5); i > 0; i--) {
            var condition = condition(random);
            for (int j = random.nextInt(3); j > 0; j--) {
                condition = condition.and(condition(random));
            }
            whens.add(condition.then(action(random)));
        }
        return new Rule(whens, action(random));
    }

    private static Condition condition(Random random) {
        int argument = random.nextInt(6);
        long mask = random.nextBoolean() ? random.nextLong() : word(random);
        int low = mask == 0 ? 1 : (int) mask;
        return switch (random.nextInt(7)) {
            case 0 -> Condition.low(argument, (int) word(random));
            case 1 -> Condition.masked(argument, low == 0 ? 1 : low, low & (int) word(random));
            case 2 -> Condition.bits(argument, low == 0 ? 1 : low);
            case 3 -> Condition.whole(argument, word(random));
            case 4 -> Condition.nonzero(argument);
            case 5 -> new Condition.AnyBit(argument, mask == 0 ? 1 : mask);
            default -> new Condition.Equal(argument, mask == 0 ? 1 : mask, mask & word(random));
        };
    }

    private static long[] arguments(Random random) {
        return random.longs(6).map(_ -> word(random)).toArray();
    }

    private static long word(Random random) {
        return WORDS[random.nextInt(WORDS.length)] | WORDS[random.nextInt(WORDS.length)] << 32;
    }

    private static Action action(Random random) {
        return ACTIONS.get(random.nextInt(ACTIONS.size()));
    }
}
