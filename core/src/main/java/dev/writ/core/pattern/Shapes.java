// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.pattern;

import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Numbers for nodes, the same number for nodes from which everything looks the same. Thousands of
/// rules have few different endings, so a search that has seen one ending has seen them all.
final class Shapes {
    /// What can be told of a node without knowing where it is. Which rule speaks does not matter,
    /// only in which role.
    private record Shape(
            boolean isRun,
            int roles,
            int signs,
            Map<String, Integer> literals,
            Map<Glob, Integer> globs,
            int run) {}

    private static final int NO_RUN = -1;

    private final Map<Shape, Integer> numbers = new HashMap<>();
    private final Map<PatternTree.Node, Integer> known = new HashMap<>();

    int of(PatternTree.Node node) {
        Integer number = known.get(node);
        if (number == null) {
            number = numbers.computeIfAbsent(shape(node), _ -> numbers.size());
            known.put(node, number);
        }
        return number;
    }

    private Shape shape(PatternTree.Node node) {
        var literals = new HashMap<String, Integer>();
        for (var segment : node.literals()) {
            var child = node.literal(segment);
            if (child != null) {
                literals.put(segment, of(child));
            }
        }
        var globs = node.globs();
        var run = node.run();
        return new Shape(
                node.isRun(),
                mask(node.ends),
                mask(node.signs),
                literals,
                globs == null
                        ? Map.of()
                        : globs.edges().stream()
                                .collect(
                                        Collectors.toMap(
                                                GlobIndex.Edge::glob, e -> of(e.target()))),
                run == null ? NO_RUN : of(run));
    }

    private static int mask(int @Nullable [] marks) {
        int mask = 0;
        for (int i = 0; marks != null && i < marks.length; i++) {
            mask |= marks[i] == PatternTree.NONE ? 0 : 1 << i;
        }
        return mask;
    }
}
