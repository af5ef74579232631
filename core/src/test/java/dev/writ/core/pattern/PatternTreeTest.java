// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.pattern;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.Arbitrary;
import dev.writ.core.pattern.Pattern.Item;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PatternTreeTest {
    private static final List<String> WORDS = List.of("a", "b", "ab", "ba", "aab", "c");
    private static final List<List<String>> GLOBS =
            List.of(
                    List.of("", ""),
                    List.of("a", ""),
                    List.of("", "b"),
                    List.of("a", "b"),
                    List.of("", "a", ""));

    @Test
    void a_glob_agrees_with_the_regular_expression_it_stands_for() {
        var arbitrary = new Arbitrary(1);
        for (int i = 0; i < 20_000; i++) {
            var parts =
                    IntStream.rangeClosed(0, arbitrary.number(4))
                            .mapToObj(_ -> text(arbitrary, 2))
                            .toList();
            var segment = text(arbitrary, 6);
            var regex =
                    parts.stream()
                            .map(java.util.regex.Pattern::quote)
                            .collect(Collectors.joining(".*"));

            assertThat(new Glob(parts).matches(segment))
                    .as(parts + " " + segment)
                    .isEqualTo(segment.matches(regex));
        }
    }

    @Test
    void many_globs_side_by_side_find_what_each_finds_alone() {
        var arbitrary = new Arbitrary(2);
        for (int round = 0; round < 200; round++) {
            var tree = new PatternTree();
            var globs = new ArrayList<Glob>();
            for (int i = 0; i < 40; i++) {
                var parts =
                        IntStream.rangeClosed(0, 1 + arbitrary.number(2))
                                .mapToObj(_ -> text(arbitrary, 3))
                                .toList();
                globs.add(new Glob(parts));
                tree.add(
                        new Pattern.Builder().one(globs.getLast(), Domain.PATH).build(),
                        PatternTree.Role.ALLOW,
                        i);
            }
            for (int i = 0; i < 50; i++) {
                var segment = text(arbitrary, 6);
                var first =
                        globs.stream()
                                .filter(g -> g.matches(segment))
                                .findFirst()
                                .map(globs::indexOf);

                assertThat(rule(tree, List.of(segment)))
                        .as(globs + " " + segment)
                        .isEqualTo(first.orElse(PatternTree.NONE));
            }
        }
    }

    @Test
    void the_tree_agrees_with_matching_each_pattern_alone() {
        var arbitrary = new Arbitrary(3);
        for (int round = 0; round < 2_000; round++) {
            var tree = new PatternTree();
            var patterns = new ArrayList<Pattern>();
            for (int i = 0; i < 5; i++) {
                patterns.add(pattern(arbitrary));
                tree.add(patterns.getLast(), PatternTree.Role.ALLOW, i);
            }
            for (int i = 0; i < 20; i++) {
                var word = word(arbitrary, 5);
                int expected =
                        IntStream.range(0, 5)
                                .filter(p -> fits(patterns.get(p).items(), word))
                                .findFirst()
                                .orElse(PatternTree.NONE);

                assertThat(rule(tree, word)).as(patterns + " " + word).isEqualTo(expected);
            }
        }
    }

    @Test
    void a_walk_can_be_used_again() {
        var tree = new PatternTree();
        tree.add(Pattern.of("a").many(Domain.PATH).literal("b").build(), PatternTree.Role.ALLOW, 0);
        var walk = tree.walk();
        List.of("a", "x", "b").forEach(walk);

        walk.restart();
        List.of("b", "b").forEach(walk);

        assertThat(walk.rule(PatternTree.Role.ALLOW)).isEqualTo(PatternTree.NONE);
    }

    @Test
    void wildcards_pass_reserved_segments_by() {
        var tree = new PatternTree();
        tree.add(new Pattern.Builder().many(Domain.LABEL).build(), PatternTree.Role.ALLOW, 0);
        tree.add(new Pattern.Builder().any(Domain.LABEL).build(), PatternTree.Role.ALLOW, 1);

        assertThat(rule(tree, List.of(Pattern.END + "localhost"))).isEqualTo(PatternTree.NONE);
    }

    @Test
    void progress_tells_how_far_a_pattern_fits() {
        var pattern = Pattern.of("read").literal("a").any(Domain.PATH).literal("c").build();

        assertThat(pattern.progress(List.of("write"))).isEqualTo(0);
        assertThat(pattern.progress(List.of("read", "a", "b", "d"))).isEqualTo(3);
        assertThat(pattern.progress(List.of("read", "a", "b"))).isEqualTo(3);
        assertThat(pattern.progress(List.of("read", "a", "b", "c"))).isEqualTo(5);
    }

    static int rule(PatternTree tree, List<String> word) {
        var walk = tree.walk();
        word.forEach(walk);
        return walk.rule(PatternTree.Role.ALLOW);
    }

    /// The plainest matcher one can write.
    static boolean fits(List<Item> items, List<String> word) {
        if (items.isEmpty()) {
            return word.isEmpty();
        }
        var rest = items.subList(1, items.size());
        return switch (items.getFirst()) {
            case Item.Literal(var s) ->
                    !word.isEmpty()
                            && word.getFirst().equals(s)
                            && fits(rest, word.subList(1, word.size()));
            case Item.One(var g, _) ->
                    !word.isEmpty()
                            && g.matches(word.getFirst())
                            && fits(rest, word.subList(1, word.size()));
            case Item.Many _ ->
                    fits(rest, word)
                            || (!word.isEmpty() && fits(items, word.subList(1, word.size())));
        };
    }

    static Pattern pattern(Arbitrary arbitrary) {
        var builder = new Pattern.Builder();
        for (int i = arbitrary.number(4); i >= 0; i--) {
            switch (arbitrary.number(3)) {
                case 0 -> builder.literal(arbitrary.oneOf(WORDS));
                case 1 -> builder.one(new Glob(arbitrary.oneOf(GLOBS)), Domain.PATH);
                default -> builder.many(Domain.PATH);
            }
        }
        return builder.build();
    }

    static List<String> word(Arbitrary arbitrary, int longest) {
        return IntStream.range(0, arbitrary.number(longest + 1))
                .mapToObj(_ -> arbitrary.oneOf(WORDS))
                .toList();
    }

    private static String text(Arbitrary arbitrary, int longest) {
        return IntStream.range(0, arbitrary.number(longest + 1))
                .mapToObj(_ -> arbitrary.oneOf(List.of("a", "b", ".")))
                .collect(Collectors.joining());
    }
}
