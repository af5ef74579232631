// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import dev.writ.kernel.BpfAssembler.Label;
import dev.writ.kernel.Filter.Action;
import dev.writ.kernel.Filter.Condition;
import dev.writ.kernel.Filter.Rule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Writes the program of a [Filter]: the checks that come first, a binary search for the number,
/// then the rules that look at arguments. Calls decided by their number alone load no argument; for
/// those the kernel (since 5.11) remembers an allowing answer and does not run the program again.
final class FilterCompiler {
    private static final int ENOSYS = 38;
    private static final int X32_SYSCALL_BIT = 0x40000000;
    private static final long LOW = 0xffff_ffffL;
    private static final int NOTHING = -1;

    private final BpfAssembler bpf = new BpfAssembler();
    private final Map<Rule, Label> rules = new LinkedHashMap<>();

    /// What is loaded when a label is reached, where every way to it agrees.
    private final Map<Label, Integer> loadedAt = new HashMap<>();

    private int loaded = NOTHING;

    /// Numbers from `first` up to the next range.
    private record Range(int first, Rule rule) {}

    Bpf.Program compile(Arch arch, Map<Call, Rule> table, Action otherwise) {
        // ORDER: a number means nothing before the architecture is known.
        bpf.load(Bpf.ARCH);
        var known = new Label();
        var foreign = new Label();
        bpf.ifEqual(arch.audit(), known, foreign);
        bpf.place(foreign);
        bpf.ret(Filter.KILL_PROCESS.value());
        bpf.place(known);
        bpf.load(Bpf.NUMBER);
        if (arch == Arch.X86_64) {
            refuseX32();
        }
        search(ranges(arch, table, Rule.always(otherwise)));
        rules.forEach(this::decide);
        return bpf.assemble();
    }

    private void refuseX32() {
        var x32 = new Label();
        var ordinary = new Label();
        bpf.ifAtLeast(X32_SYSCALL_BIT, x32, ordinary);
        bpf.place(x32);
        bpf.ret(new Action.Errno(ENOSYS).value());
        bpf.place(ordinary);
    }

    /// All numbers, in order; neighbors with the same rule are one range.
    private static List<Range> ranges(Arch arch, Map<Call, Rule> table, Rule otherwise) {
        var byNumber = new TreeMap<Integer, Rule>();
        table.forEach(
                (call, rule) -> {
                    if (call.exists(arch)) {
                        byNumber.put(call.number(arch), rule);
                    }
                });
        var ranges = new ArrayList<Range>();
        int end = byNumber.isEmpty() ? 0 : byNumber.lastKey() + 1;
        for (int number = 0; number <= end; number++) {
            var rule = byNumber.getOrDefault(number, otherwise);
            if (ranges.isEmpty() || !ranges.getLast().rule().equals(rule)) {
                ranges.add(new Range(number, rule));
            }
        }
        return ranges;
    }

    private void search(List<Range> ranges) {
        if (ranges.size() == 1) {
            var rule = ranges.getFirst().rule();
            if (isPlain(rule)) {
                bpf.ret(rule.otherwise().value());
            } else {
                bpf.jump(labelOf(rule));
            }
            return;
        }
        int middle = ranges.size() / 2;
        var below = new Half(ranges.subList(0, middle));
        var above = new Half(ranges.subList(middle, ranges.size()));
        bpf.ifAtLeast(ranges.get(middle).first(), above.label, below.label);
        below.write();
        above.write();
    }

    /// One side of a comparison. A single rule is jumped to directly, anything else follows.
    private final class Half {
        private final List<Range> ranges;
        private final boolean elsewhere;
        private final Label label;

        Half(List<Range> ranges) {
            this.ranges = ranges;
            elsewhere = ranges.size() == 1 && !isPlain(ranges.getFirst().rule());
            label = elsewhere ? labelOf(ranges.getFirst().rule()) : new Label();
        }

        void write() {
            if (!elsewhere) {
                bpf.place(label);
                search(ranges);
            }
        }
    }

    private static boolean isPlain(Rule rule) {
        return rule.whens().isEmpty();
    }

    /// Equal rules are written once.
    private Label labelOf(Rule rule) {
        return rules.computeIfAbsent(rule, _ -> new Label());
    }

    private void decide(Rule rule, Label start) {
        place(start);
        var answers = new LinkedHashMap<Action, Label>();
        for (var when : rule.whens()) {
            var next = new Label();
            test(when.condition(), answers.computeIfAbsent(when.action(), _ -> new Label()), next);
            place(next);
        }
        var same = answers.remove(rule.otherwise());
        if (same != null) {
            place(same);
        }
        bpf.ret(rule.otherwise().value());
        answers.forEach(
                (action, label) -> {
                    place(label);
                    bpf.ret(action.value());
                });
    }

    private void test(Condition condition, Label yes, Label no) {
        switch (condition) {
            case Condition.Equal(int argument, long mask, long value) -> {
                if (spansBoth(mask)) {
                    var rest = new Label();
                    test(new Condition.Equal(argument, mask & LOW, value & LOW), rest, no);
                    place(rest);
                    test(new Condition.Equal(argument, mask & ~LOW, value & ~LOW), yes, no);
                } else {
                    equal(offset(argument, mask), half(mask), half(value), yes, no);
                }
            }
            case Condition.AnyBit(int argument, long mask) -> {
                if (spansBoth(mask)) {
                    var rest = new Label();
                    test(new Condition.AnyBit(argument, mask & LOW), yes, rest);
                    place(rest);
                    test(new Condition.AnyBit(argument, mask & ~LOW), yes, no);
                } else {
                    anyBit(offset(argument, mask), half(mask), yes, no);
                }
            }
            case Condition.Both(var first, var second) -> {
                var rest = new Label();
                test(first, rest, no);
                place(rest);
                test(second, yes, no);
            }
        }
    }

    private static boolean spansBoth(long mask) {
        return (mask & LOW) != 0 && (mask & ~LOW) != 0;
    }

    private static int offset(int argument, long mask) {
        return (mask & LOW) != 0 ? Bpf.low(argument) : Bpf.high(argument);
    }

    /// The one half of `bits` that is not empty.
    private static int half(long bits) {
        return (int) (bits | bits >>> 32);
    }

    private void equal(int offset, int mask, int value, Label yes, Label no) {
        load(offset);
        if (mask != -1) {
            bpf.and(mask);
            loaded = NOTHING;
        }
        arriveAt(yes);
        arriveAt(no);
        bpf.ifEqual(value, yes, no);
    }

    private void anyBit(int offset, int mask, Label yes, Label no) {
        load(offset);
        arriveAt(yes);
        arriveAt(no);
        bpf.ifAnyBit(mask, yes, no);
    }

    private void load(int offset) {
        if (loaded != offset) {
            bpf.load(offset);
            loaded = offset;
        }
    }

    private void arriveAt(Label label) {
        loadedAt.merge(label, loaded, (a, b) -> a.equals(b) ? a : NOTHING);
    }

    // INVARIANT: inside a rule every label is reached by a branch only, never from the line above.
    private void place(Label label) {
        bpf.place(label);
        loaded = loadedAt.getOrDefault(label, NOTHING);
    }
}
