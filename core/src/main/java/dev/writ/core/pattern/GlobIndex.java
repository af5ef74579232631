// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.pattern;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The glob edges of one node. A thousand `*.name` patterns side by side cost a few look-ups, not a
/// thousand tries: each edge is filed under its longer fixed end, and only edges whose fixed end
/// fits the segment are tried.
final class GlobIndex {
    /// Few edges are tried one by one; the look-up costs more.
    private static final int SMALL = 6;

    record Edge(Glob glob, PatternTree.Node target) {}

    private final Map<Glob, PatternTree.Node> byGlob = new HashMap<>();
    private final List<Edge> edges = new ArrayList<>();
    private @Nullable Shelf heads;
    private @Nullable Shelf tails;

    PatternTree.Node child(Glob glob) {
        return byGlob.computeIfAbsent(
                glob,
                g -> {
                    var target = new PatternTree.Node();
                    edges.add(new Edge(g, target));
                    return target;
                });
    }

    List<Edge> edges() {
        return edges;
    }

    /// Files the edges. Called once, when the tree is complete.
    void freeze() {
        if (edges.size() > SMALL) {
            heads = new Shelf(edges, false);
            tails = new Shelf(edges, true);
        }
    }

    void match(String segment, Consumer<PatternTree.Node> found) {
        if (heads == null || tails == null) {
            tryAll(edges, segment, found);
        } else {
            heads.match(segment, found);
            tails.match(segment, found);
        }
    }

    private static void tryAll(List<Edge> edges, String segment, Consumer<PatternTree.Node> found) {
        for (int i = 0; i < edges.size(); i++) {
            if (edges.get(i).glob().matches(segment)) {
                found.accept(edges.get(i).target());
            }
        }
    }

    private static boolean isFiledByTail(Glob glob) {
        return glob.tail().length() > glob.head().length();
    }

    /// Edges by the hash of one fixed end, one probe for each length that occurs.
    private static final class Shelf {
        private final boolean atTail;
        private final int[] lengths;
        private final List<@Nullable List<Edge>> slots;
        private final int mask;

        Shelf(List<Edge> all, boolean atTail) {
            this.atTail = atTail;
            var mine = all.stream().filter(e -> isFiledByTail(e.glob()) == atTail).toList();
            lengths = mine.stream().mapToInt(e -> end(e).length()).distinct().sorted().toArray();
            mask = Integer.highestOneBit(Math.max(1, mine.size() * 4 - 1)) * 2 - 1;
            slots = new ArrayList<>(Arrays.asList(newSlots(mask + 1)));
            for (var edge : mine) {
                int slot = slot(end(edge), 0, end(edge).length());
                var list = slots.get(slot);
                if (list == null) {
                    list = new ArrayList<>(1);
                    slots.set(slot, list);
                }
                list.add(edge);
            }
        }

        @SuppressWarnings({
            "unchecked",
            "rawtypes"
        }) // an array of a generic type, only to be copied
        private static @Nullable List<Edge>[] newSlots(int size) {
            return new List[size];
        }

        private String end(Edge edge) {
            return atTail ? edge.glob().tail() : edge.glob().head();
        }

        private int slot(String text, int from, int to) {
            int hash = to - from;
            for (int i = from; i < to; i++) {
                hash = 31 * hash + text.charAt(i);
            }
            return (hash ^ (hash >>> 15)) & mask;
        }

        void match(String segment, Consumer<PatternTree.Node> found) {
            int size = segment.length();
            for (int length : lengths) {
                if (length > size) {
                    return;
                }
                int from = atTail ? size - length : 0;
                var list = slots.get(slot(segment, from, from + length));
                if (list == null) {
                    continue;
                }
                for (int i = 0; i < list.size(); i++) {
                    var edge = list.get(i);
                    // Two lengths may share a slot: an edge is tried only at its own, so it is
                    // found once.
                    if (end(edge).length() == length && edge.glob().matches(segment)) {
                        found.accept(edge.target());
                    }
                }
            }
        }
    }
}
