// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.pattern;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Looks for a word of a pattern on which trees behave in a wanted way, and is exact: if it finds
/// none, there is none. It follows all trees at once from the root, with one segment of every sort
/// ([Representatives]) at each wildcard; as the trees are finite, so is the search.
public final class Search {
    private static final int MOST_STATES = 500_000;

    private final List<Pattern.Item> items;
    private final Predicate<List<Walk>> wanted;
    private final Set<Object> seen = new HashSet<>();
    private final ArrayDeque<State> queue = new ArrayDeque<>();

    /// Where the search stands: before item `at`, with the trees walked that far.
    private record State(
            int at, List<Walk> walks, @Nullable State from, @Nullable String segment) {}

    private Search(Pattern pattern, Predicate<List<Walk>> wanted) {
        this.items = pattern.items();
        this.wanted = wanted;
    }

    /// A shortest word of `pattern` after which `wanted` holds of the walks through `trees`.
    public static Optional<List<String>> find(
            Pattern pattern, List<PatternTree> trees, Predicate<List<Walk>> wanted) {
        var walks = trees.stream().map(PatternTree::walk).toList();
        return new Search(pattern, wanted).run(walks);
    }

    /// A word of `pattern` that no pattern of `others` has.
    public static Optional<List<String>> beyond(Pattern pattern, Collection<Pattern> others) {
        var tree = new PatternTree();
        others.forEach(p -> tree.add(p, PatternTree.Role.ALLOW, 0));
        return find(
                pattern,
                List.of(tree),
                walks -> walks.getFirst().rule(PatternTree.Role.ALLOW) == PatternTree.NONE);
    }

    private Optional<List<String>> run(List<Walk> start) {
        push(new State(0, start, null, null));
        while (!queue.isEmpty()) {
            var state = queue.remove();
            if (state.at() == items.size()) {
                if (wanted.test(state.walks())) {
                    return Optional.of(word(state));
                }
                continue;
            }
            switch (items.get(state.at())) {
                case Pattern.Item.Literal(var segment) -> push(step(state, segment, 1));
                case Pattern.Item.One(var glob, var domain) -> spread(state, glob, domain, 1);
                case Pattern.Item.Many(var domain) -> {
                    push(new State(state.at() + 1, state.walks(), state, null));
                    spread(state, Glob.ANY, domain, 0);
                }
            }
        }
        return Optional.empty();
    }

    private void spread(State state, Glob glob, Domain domain, int advance) {
        var literals = new TreeSet<String>();
        var globs = new HashSet<Glob>();
        for (var walk : state.walks()) {
            walk.collectLiterals(literals);
            walk.collectGlobs(globs);
        }
        for (var segment : Representatives.of(glob, domain, literals, globs)) {
            push(step(state, segment, advance));
        }
    }

    private static State step(State state, String segment, int advance) {
        var walks = new ArrayList<Walk>(state.walks().size());
        for (var walk : state.walks()) {
            var copy = walk.copy();
            copy.accept(segment);
            walks.add(copy);
        }
        return new State(state.at() + advance, walks, state, segment);
    }

    private void push(State state) {
        var key = new ArrayList<Object>();
        key.add(state.at());
        state.walks().forEach(w -> key.add(w.state()));
        if (!seen.add(key)) {
            return;
        }
        if (seen.size() > MOST_STATES) {
            throw new UndecidedException("these policies differ in too many places to compare");
        }
        queue.add(state);
    }

    private static List<String> word(State last) {
        var word = new ArrayList<String>();
        for (State s = last; s != null; s = s.from()) {
            if (s.segment() != null) {
                word.add(s.segment());
            }
        }
        return word.reversed();
    }
}
