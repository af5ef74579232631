// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.pattern;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Looks for words of patterns on which trees behave in a wanted way, and is exact: if it finds
/// none, there is none. It follows all trees at once from the root, with one segment of every sort
/// ([Representatives]) at each wildcard; as the trees are finite, so is the search.
///
/// What one search has proven fruitless the next one skips: see [Shapes].
public final class Search {
    private static final int MOST_STATES = 500_000;

    private final List<PatternTree> trees;
    private final Predicate<List<Walk>> wanted;
    private final boolean wantsDifference;
    private final Shapes shapes = new Shapes();
    private final Set<Key> fruitless = new HashSet<>();
    private final Map<Choice, Set<String>> representatives = new HashMap<>();

    /// Where a search stands: before the first of `rest`, with the trees walked that far.
    private record State(
            List<Pattern.Item> rest,
            List<Walk> walks,
            @Nullable State from,
            @Nullable String segment) {}

    /// States with equal keys have the same future.
    private record Key(List<Pattern.Item> rest, List<Walk.State> walks) {}

    /// What the representatives at a wildcard depend on.
    private record Choice(Glob glob, Domain domain, Set<String> literals, Set<Glob> globs) {}

    private Search(List<PatternTree> trees, Predicate<List<Walk>> wanted, boolean wantsDifference) {
        this.trees = List.copyOf(trees);
        this.wanted = wanted;
        this.wantsDifference = wantsDifference;
    }

    /// A search through `tree` for words after which `wanted` holds of the walk.
    public static Search through(PatternTree tree, Predicate<Walk> wanted) {
        return new Search(List.of(tree), walks -> wanted.test(walks.getFirst()), false);
    }

    /// A search for words on which `one` and `other` differ as `wanted` says of the two walks.
    /// Where the rest of both trees looks the same, nothing can differ, and nothing is searched.
    public static Search difference(
            PatternTree one, PatternTree other, BiPredicate<Walk, Walk> wanted) {
        return new Search(
                List.of(one, other), walks -> wanted.test(walks.getFirst(), walks.getLast()), true);
    }

    /// A word of `pattern` that no pattern of `others` has.
    public static Optional<List<String>> beyond(Pattern pattern, Collection<Pattern> others) {
        var tree = new PatternTree();
        others.forEach(p -> tree.add(p, PatternTree.Role.ALLOW, 0));
        return through(tree, walk -> walk.rule(PatternTree.Role.ALLOW) == PatternTree.NONE)
                .find(pattern);
    }

    /// A shortest wanted word of `pattern`.
    public Optional<List<String>> find(Pattern pattern) {
        var seen = new HashSet<Key>();
        var queue = new ArrayDeque<State>();
        push(
                new State(
                        pattern.items(),
                        trees.stream().map(PatternTree::walk).toList(),
                        null,
                        null),
                seen,
                queue);
        while (!queue.isEmpty()) {
            var state = queue.remove();
            if (state.rest().isEmpty() && wanted.test(state.walks())) {
                return Optional.of(word(state));
            }
            successors(state).forEach(s -> push(s, seen, queue));
        }
        fruitless.addAll(seen);
        return Optional.empty();
    }

    private List<State> successors(State state) {
        if (state.rest().isEmpty()) {
            return List.of();
        }
        var after = state.rest().subList(1, state.rest().size());
        return switch (state.rest().getFirst()) {
            case Pattern.Item.Literal(var segment) -> List.of(step(state, segment, after));
            case Pattern.Item.One(var glob, var domain) -> spread(state, glob, domain, after);
            case Pattern.Item.Many(var domain) -> {
                var states = spread(state, Glob.ANY, domain, state.rest());
                states.add(new State(after, state.walks(), state, null));
                yield states;
            }
        };
    }

    private List<State> spread(State state, Glob glob, Domain domain, List<Pattern.Item> rest) {
        var literals = new TreeSet<String>();
        var globs = new HashSet<Glob>();
        for (var walk : state.walks()) {
            walk.collectLiterals(literals);
            walk.collectGlobs(globs);
        }
        var choice = new Choice(glob, domain, literals, globs);
        var states = new ArrayList<State>();
        for (var segment :
                representatives.computeIfAbsent(
                        choice,
                        c -> Representatives.of(c.glob(), c.domain(), c.literals(), c.globs()))) {
            states.add(step(state, segment, rest));
        }
        return states;
    }

    private static State step(State state, String segment, List<Pattern.Item> rest) {
        var walks = new ArrayList<Walk>(state.walks().size());
        for (var walk : state.walks()) {
            var copy = walk.copy();
            copy.accept(segment);
            walks.add(copy);
        }
        return new State(rest, walks, state, segment);
    }

    private void push(State state, Set<Key> seen, ArrayDeque<State> queue) {
        var key = new Key(state.rest(), state.walks().stream().map(w -> w.state(shapes)).toList());
        boolean same = wantsDifference && key.walks().getFirst().equals(key.walks().getLast());
        if (same || fruitless.contains(key) || !seen.add(key)) {
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
