// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.pattern;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Many patterns merged into one tree, so that a word is compared with all of them in one pass.
/// Shared beginnings are shared nodes; the cost of a word depends on its length, hardly on the
/// number of patterns.
///
/// Build it with [#add], then only [#walk] it: a tree that is walked no longer changes and may be
/// shared by threads.
public final class PatternTree {
    /// No rule.
    public static final int NONE = Integer.MAX_VALUE;

    /// What it means that a pattern fits.
    public enum Role {
        DENY(0),
        ASK_BROADLY(1),
        ASK(2),
        ALLOW(3);

        final int slot;

        Role(int slot) {
            this.slot = slot;
        }
    }

    /// What it means that a word passes through a node on its way.
    public enum Sign {
        /// From here on downwards a rule must name the exact path.
        GUARD(0),
        NAMED_ASK(1),
        NAMED_ALLOW(2),
        /// From here on downwards there is nothing to guard.
        UNGUARDED(3);

        final int slot;

        Sign(int slot) {
            this.slot = slot;
        }
    }

    static final int ROLES = Role.values().length;
    static final int SIGNS = Sign.values().length;

    private final Node root = new Node();
    private final Shapes shapes = new Shapes();
    private boolean frozen;

    public PatternTree() {}

    /// Files `pattern` under `role`. Of several rules on one node, the one with the lowest number
    /// speaks for all.
    public void add(Pattern pattern, Role role, int rule) {
        var last = node(pattern.items());
        last.ends = mark(last.ends, ROLES, role.slot, rule);
    }

    /// Notes that `rule` names the top of `pattern`, so that it lifts guards there; without effect
    /// if the pattern has a wildcard.
    public void name(Pattern pattern, Sign sign, int rule) {
        if (pattern.isExact()) {
            sign(pattern, sign, rule);
        }
    }

    /// Guards everything at or below `pattern`.
    public void guard(Pattern pattern, int rule) {
        sign(pattern, Sign.GUARD, rule);
    }

    /// Lets no guard hold at or below `pattern`.
    public void unguard(Pattern pattern) {
        sign(pattern, Sign.UNGUARDED, 0);
    }

    private void sign(Pattern pattern, Sign sign, int rule) {
        var items = pattern.items();
        boolean below = !items.isEmpty() && items.getLast() instanceof Pattern.Item.Many;
        var node = node(below ? items.subList(0, items.size() - 1) : items);
        node.signs = mark(node.signs, SIGNS, sign.slot, rule);
    }

    private Node node(Iterable<Pattern.Item> items) {
        if (frozen) {
            throw new IllegalStateException("a tree that is walked no longer changes");
        }
        var node = root;
        for (var item : items) {
            node = node.child(item);
        }
        return node;
    }

    /// A walk from the root, ready to take the segments of a word.
    public Walk walk() {
        if (!frozen) {
            root.freeze();
            frozen = true;
        }
        return new Walk(root);
    }

    /// Whether every continuation meets the same after `one` as after `other`.
    public boolean goesOnAlike(List<String> one, List<String> other) {
        var here = walk();
        var there = walk();
        one.forEach(here);
        other.forEach(there);
        synchronized (shapes) {
            return here.state(shapes).equals(there.state(shapes));
        }
    }

    private static int[] mark(int @Nullable [] marks, int size, int index, int rule) {
        int[] result = marks;
        if (result == null) {
            result = new int[size];
            Arrays.fill(result, NONE);
        }
        result[index] = Math.min(result[index], rule);
        return result;
    }

    static final class Node {
        private @Nullable Map<String, Node> literals;
        private @Nullable GlobIndex globs;
        private @Nullable Node run;
        private boolean isRun;
        int @Nullable [] ends;
        int @Nullable [] signs;

        private Node child(Pattern.Item item) {
            if (item instanceof Pattern.Item.Literal(var segment)) {
                if (literals == null) {
                    literals = new HashMap<>(2);
                }
                return literals.computeIfAbsent(segment, _ -> new Node());
            }
            if (item instanceof Pattern.Item.One(var glob, _)) {
                if (globs == null) {
                    globs = new GlobIndex();
                }
                return globs.child(glob);
            }
            if (run == null) {
                run = new Node();
                run.isRun = true;
            }
            return run;
        }

        private void freeze() {
            if (literals != null) {
                literals.values().forEach(Node::freeze);
            }
            if (globs != null) {
                globs.freeze();
                globs.edges().forEach(e -> e.target().freeze());
            }
            if (run != null) {
                run.freeze();
            }
        }

        boolean isRun() {
            return isRun;
        }

        @Nullable Node run() {
            return run;
        }

        @Nullable Node literal(String segment) {
            return literals == null ? null : literals.get(segment);
        }

        @Nullable GlobIndex globs() {
            return globs;
        }

        Set<String> literals() {
            return literals == null ? Set.of() : literals.keySet();
        }
    }
}
