// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import java.util.ArrayList;
import java.util.List;

/// Writes a program line by line, with labels. A conditional jump names both of its targets, so
/// nothing is ever reached by falling out of one. It reaches 255 instructions; where that is not
/// enough the assembler adds a jump.
final class BpfAssembler {
    private static final int FARTHEST = 255;

    private final List<Step> steps = new ArrayList<>();

    /// A place in the program that can be jumped to, before it is known where it is.
    static final class Label {
        private static final int NOWHERE = -1;

        private int position = NOWHERE;
    }

    /// What was written down, with labels still open. A mark is no instruction.
    private sealed interface Step {
        record Plain(Bpf.Instruction instruction) implements Step {}

        record Jump(Label to) implements Step {}

        record Branch(int code, int k, Label yes, Label no) implements Step {}

        record Mark(Label label) implements Step {}
    }

    /// Loads the word at [Bpf#NUMBER], [Bpf#ARCH], [Bpf#low] or [Bpf#high].
    void load(int offset) {
        steps.add(new Step.Plain(new Bpf.Instruction(Bpf.BPF_LD_W_ABS, 0, 0, offset)));
    }

    void and(int mask) {
        steps.add(new Step.Plain(new Bpf.Instruction(Bpf.BPF_AND_K, 0, 0, mask)));
    }

    void ret(int value) {
        steps.add(new Step.Plain(new Bpf.Instruction(Bpf.BPF_RET_K, 0, 0, value)));
    }

    void jump(Label to) {
        steps.add(new Step.Jump(to));
    }

    void ifEqual(int k, Label yes, Label no) {
        steps.add(new Step.Branch(Bpf.BPF_JEQ_K, k, yes, no));
    }

    /// Compares as unsigned, as all comparisons do.
    void ifAbove(int k, Label yes, Label no) {
        steps.add(new Step.Branch(Bpf.BPF_JGT_K, k, yes, no));
    }

    void ifAtLeast(int k, Label yes, Label no) {
        steps.add(new Step.Branch(Bpf.BPF_JGE_K, k, yes, no));
    }

    void ifAnyBit(int mask, Label yes, Label no) {
        steps.add(new Step.Branch(Bpf.BPF_JSET_K, mask, yes, no));
    }

    void place(Label label) {
        if (label.position != Label.NOWHERE) {
            throw new IllegalStateException("a label stands at one place only");
        }
        label.position = steps.size(); // until all is written
        steps.add(new Step.Mark(label));
    }

    /// The finished program.
    ///
    /// @throws IllegalStateException if a label is missing, placed twice or jumped back to
    /// @throws IllegalArgumentException if the program is longer than the kernel takes
    Bpf.Program assemble() {
        var near = steps;
        for (var wider = widen(near); wider.size() > near.size(); wider = widen(near)) {
            near = wider;
        }
        settle(near);
        var instructions = new ArrayList<Bpf.Instruction>();
        for (var step : near) {
            int next = instructions.size() + 1;
            if (step instanceof Step.Plain(var instruction)) {
                instructions.add(instruction);
            } else if (step instanceof Step.Jump(var to)) {
                int k = distance(next, to);
                instructions.add(new Bpf.Instruction(Bpf.BPF_JA, 0, 0, k));
            } else if (step instanceof Step.Branch(int code, int k, var yes, var no)) {
                int jt = distance(next, yes);
                int jf = distance(next, no);
                instructions.add(new Bpf.Instruction(code, jt, jf, k));
            }
        }
        return new Bpf.Program(instructions);
    }

    /// Puts an unconditional jump, which has no limit, behind each branch that does not reach its
    /// target. What was in reach may be out of it afterwards, so this is repeated until nothing
    /// changes.
    private static List<Step> widen(List<Step> steps) {
        settle(steps);
        var wider = new ArrayList<Step>();
        int next = 0;
        for (var step : steps) {
            next += step instanceof Step.Mark ? 0 : 1;
            if (!(step instanceof Step.Branch(int code, int k, var yes, var no))) {
                wider.add(step);
            } else if (distance(next, yes) > FARTHEST) {
                var hop = new Label();
                wider.add(new Step.Branch(code, k, hop, no));
                wider.add(new Step.Mark(hop));
                wider.add(new Step.Jump(yes));
            } else if (distance(next, no) > FARTHEST) {
                var hop = new Label();
                wider.add(new Step.Branch(code, k, yes, hop));
                wider.add(new Step.Mark(hop));
                wider.add(new Step.Jump(no));
            } else {
                wider.add(step);
            }
        }
        return wider;
    }

    /// Tells every label where it stands.
    private static void settle(List<Step> steps) {
        int at = 0;
        for (var step : steps) {
            if (step instanceof Step.Mark(var label)) {
                label.position = at;
            } else {
                at++;
            }
        }
    }

    private static int distance(int next, Label to) {
        if (to.position == Label.NOWHERE) {
            throw new IllegalStateException("a jump needs a label that was placed");
        }
        if (to.position < next) {
            throw new IllegalStateException("jumps go forward only");
        }
        return to.position - next;
    }
}
