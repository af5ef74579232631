// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.pattern;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/// One word on its way through a [PatternTree]. It takes segments one at a time and knows, after
/// each, which patterns the segments so far fit. It may be used again after [#restart], and
/// allocates only while it grows.
public final class Walk implements Consumer<String> {
    private final PatternTree.Node root;
    private PatternTree.Node[] now = new PatternTree.Node[8];
    private PatternTree.Node[] next = new PatternTree.Node[8];
    private int count;
    private int added;
    private final int[] signs = new int[PatternTree.SIGNS];
    private final Consumer<PatternTree.Node> adder = this::add;

    Walk(PatternTree.Node root) {
        this.root = root;
        restart();
    }

    public void restart() {
        Arrays.fill(signs, PatternTree.NONE);
        added = 0;
        add(root);
        turn();
    }

    /// Takes the next segment.
    @Override
    public void accept(String segment) {
        boolean reserved = Pattern.isReserved(segment);
        added = 0;
        for (int i = 0; i < count; i++) {
            var node = now[i];
            if (node.isRun() && !reserved) {
                add(node);
            }
            var literal = node.literal(segment);
            if (literal != null) {
                add(literal);
            }
            var globs = node.globs();
            if (globs != null && !reserved) {
                globs.match(segment, adder);
            }
        }
        turn();
    }

    /// The rule that speaks for `role` about the word so far, or [PatternTree#NONE].
    public int rule(PatternTree.Role role) {
        int best = PatternTree.NONE;
        for (int i = 0; i < count; i++) {
            int[] ends = now[i].ends;
            if (ends != null) {
                best = Math.min(best, ends[role.slot]);
            }
        }
        return best;
    }

    /// The rule behind the innermost guard, or behind a name at or below it; else
    /// [PatternTree#NONE].
    public int rule(PatternTree.Sign sign) {
        return signs[sign.slot];
    }

    /// Whether no pattern can fit any more.
    boolean isStuck() {
        return count == 0;
    }

    private void add(PatternTree.Node node) {
        // INVARIANT: a node is in the list once. Others have one parent and come by one edge; only
        // runs come twice.
        if (node.isRun() && contains(node)) {
            return;
        }
        if (added == next.length) {
            next = Arrays.copyOf(next, added * 2);
        }
        next[added++] = node;
        var run = node.run();
        if (run != null) {
            add(run);
        }
    }

    private boolean contains(PatternTree.Node node) {
        for (int i = 0; i < added; i++) {
            if (next[i] == node) {
                return true;
            }
        }
        return false;
    }

    private void turn() {
        var old = now;
        now = next;
        next = old;
        count = added;
        readSigns();
    }

    /// A guard here voids every name above it; a name here, guarded or not, is at least as deep as
    /// any guard so far.
    private void readSigns() {
        readName(PatternTree.Sign.UNGUARDED);
        int guard = sign(PatternTree.Sign.GUARD);
        if (guard != PatternTree.NONE && rule(PatternTree.Sign.UNGUARDED) == PatternTree.NONE) {
            Arrays.fill(signs, PatternTree.NONE);
            signs[PatternTree.Sign.GUARD.slot] = guard;
        }
        readName(PatternTree.Sign.NAMED_ASK);
        readName(PatternTree.Sign.NAMED_ALLOW);
    }

    private void readName(PatternTree.Sign sign) {
        int rule = sign(sign);
        if (rule != PatternTree.NONE) {
            signs[sign.slot] = rule;
        }
    }

    private int sign(PatternTree.Sign sign) {
        int best = PatternTree.NONE;
        for (int i = 0; i < count; i++) {
            int[] marks = now[i].signs;
            if (marks != null) {
                best = Math.min(best, marks[sign.slot]);
            }
        }
        return best;
    }

    // --- for Search, which tries many continuations of one word ---

    Walk copy() {
        var copy = new Walk(root);
        copy.now = Arrays.copyOf(now, Math.max(1, now.length));
        copy.count = count;
        for (int i = 0; i < signs.length; i++) {
            copy.signs[i] = signs[i];
        }
        return copy;
    }

    void collectLiterals(Set<String> into) {
        for (int i = 0; i < count; i++) {
            into.addAll(now[i].literals());
        }
    }

    void collectGlobs(Set<Glob> into) {
        for (int i = 0; i < count; i++) {
            var globs = now[i].globs();
            if (globs != null) {
                globs.edges().forEach(e -> into.add(e.glob()));
            }
        }
    }

    /// Where a walk is, as far as its future is concerned.
    ///
    /// @param shapes the shapes of the nodes, sorted
    record State(List<Integer> shapes, List<Boolean> signs) {}

    /// Two walks with equal states end alike on every continuation.
    State state(Shapes shapes) {
        var nodes = new TreeSet<Integer>();
        for (int i = 0; i < count; i++) {
            nodes.add(shapes.of(now[i]));
        }
        var signed = new ArrayList<Boolean>(signs.length);
        for (int sign : signs) {
            signed.add(sign != PatternTree.NONE);
        }
        return new State(List.copyOf(nodes), signed);
    }
}
