// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import dev.writ.kernel.BpfAssembler.Label;
import dev.writ.kernel.Filter.Action;
import dev.writ.kernel.Filter.Condition;
import dev.writ.kernel.Filter.Rule;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Writes the program of a [Filter]: the checks that come first, a binary search for the number,
/// then the rules that look at arguments. Calls decided by their number alone load no argument; for
/// those the kernel (since 5.11) remembers an allowing answer and does not run the program again.
///
/// This is on the way to the first command, so it neither switches over types nor compares records:
/// the first use of either costs a JVM some ten milliseconds.
final class FilterCompiler {
    private static final int ENOSYS = 38;
    private static final int X32_SYSCALL_BIT = 0x40000000;
    private static final long LOW = 0xffff_ffffL;
    private static final int NOTHING = -1;

    /// Ranges of numbers that are searched in one block: with their answers, a jump reaches across.
    private static final int BLOCK = 120;

    private final BpfAssembler bpf = new BpfAssembler();

    /// The rules that look at arguments, in the order in which the search met them, and where each
    /// begins.
    private final List<Rule> written = new ArrayList<>();

    private final IdentityHashMap<Rule, Label> labels = new IdentityHashMap<>();

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
        for (var rule : written) {
            decide(rule);
        }
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

    /// All numbers, in order; neighbors that answer alike are one range.
    private static List<Range> ranges(Arch arch, Map<Call, Rule> table, Rule otherwise) {
        int end = 0;
        for (var call : table.keySet()) {
            end = Math.max(end, call.number(arch) + 1);
        }
        // One more than there are calls: everything from there on.
        var byNumber = new Rule[end + 1];
        Arrays.fill(byNumber, otherwise);
        for (var entry : table.entrySet()) {
            if (entry.getKey().exists(arch)) {
                byNumber[entry.getKey().number(arch)] = entry.getValue();
            }
        }
        var ranges = new ArrayList<Range>();
        for (int number = 0; number <= end; number++) {
            if (number == 0 || !answerAlike(byNumber[number - 1], byNumber[number])) {
                ranges.add(new Range(number, byNumber[number]));
            }
        }
        return ranges;
    }

    /// A binary search. What lies within reach of a jump shares its answers: each is written once
    /// at the end of the block.
    private void search(List<Range> ranges) {
        if (ranges.size() > BLOCK) {
            int middle = ranges.size() / 2;
            var below = new Label();
            var above = new Label();
            bpf.ifAtLeast(ranges.get(middle).first(), above, below);
            bpf.place(below);
            search(ranges.subList(0, middle));
            bpf.place(above);
            search(ranges.subList(middle, ranges.size()));
            return;
        }
        var answers = new LinkedHashMap<Integer, Label>();
        if (ranges.size() == 1) {
            bpf.jump(target(ranges.getFirst().rule(), answers));
        } else {
            compare(ranges, answers);
        }
        for (var answer : answers.entrySet()) {
            bpf.place(answer.getValue());
            bpf.ret(answer.getKey());
        }
    }

    private void compare(List<Range> ranges, Map<Integer, Label> answers) {
        int middle = ranges.size() / 2;
        var below = ranges.subList(0, middle);
        var above = ranges.subList(middle, ranges.size());
        var toBelow = middle == 1 ? target(below.getFirst().rule(), answers) : new Label();
        var toAbove = above.size() == 1 ? target(above.getFirst().rule(), answers) : new Label();
        bpf.ifAtLeast(above.getFirst().first(), toAbove, toBelow);
        if (middle > 1) {
            bpf.place(toBelow);
            compare(below, answers);
        }
        if (above.size() > 1) {
            bpf.place(toAbove);
            compare(above, answers);
        }
    }

    /// Where to go for a single range.
    private Label target(Rule rule, Map<Integer, Label> answers) {
        return isPlain(rule)
                ? answers.computeIfAbsent(rule.otherwise().value(), _ -> new Label())
                : labelOf(rule);
    }

    private static boolean answerAlike(Rule a, Rule b) {
        return isPlain(a) && isPlain(b) && a.otherwise().value() == b.otherwise().value();
    }

    private static boolean isPlain(Rule rule) {
        return rule.whens().isEmpty();
    }

    /// One rule for several calls is written once.
    private Label labelOf(Rule rule) {
        var label = labels.get(rule);
        if (label == null) {
            label = new Label();
            labels.put(rule, label);
            written.add(rule);
        }
        return label;
    }

    private void decide(Rule rule) {
        place(labelOf(rule));
        var answers = new LinkedHashMap<Integer, Label>();
        for (var when : rule.whens()) {
            var next = new Label();
            int answer = when.action().value();
            test(when.condition(), answers.computeIfAbsent(answer, _ -> new Label()), next);
            place(next);
        }
        int otherwise = rule.otherwise().value();
        var same = answers.remove(otherwise);
        if (same != null) {
            place(same);
        }
        bpf.ret(otherwise);
        for (var answer : answers.entrySet()) {
            place(answer.getValue());
            bpf.ret(answer.getKey());
        }
    }

    private void test(Condition condition, Label yes, Label no) {
        if (condition instanceof Condition.Both(var first, var second)) {
            both(first, second, yes, no);
        } else if (condition instanceof Condition.Equal(int argument, long mask, long value)) {
            if (spansBoth(mask)) {
                both(
                        new Condition.Equal(argument, mask & LOW, value & LOW),
                        new Condition.Equal(argument, mask & ~LOW, value & ~LOW),
                        yes,
                        no);
            } else {
                equal(offset(argument, mask), half(mask), half(value), yes, no);
            }
        } else if (condition instanceof Condition.AnyBit(int argument, long mask)) {
            if (spansBoth(mask)) {
                var rest = new Label();
                test(new Condition.AnyBit(argument, mask & LOW), yes, rest);
                place(rest);
                test(new Condition.AnyBit(argument, mask & ~LOW), yes, no);
            } else {
                anyBit(offset(argument, mask), half(mask), yes, no);
            }
        } else {
            throw new AssertionError("every kind of condition is written: " + condition);
        }
    }

    private void both(Condition first, Condition second, Label yes, Label no) {
        var rest = new Label();
        test(first, rest, no);
        place(rest);
        test(second, yes, no);
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
