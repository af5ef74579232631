// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.pattern;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.Arbitrary;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SearchTest {
    /// Every segment over a small alphabet, and every word of up to three of them: what the search
    /// must not miss.
    private static final List<String> SEGMENTS =
            List.of("a", "b", "c", "x", "ab", "ba", "aa", "bb", "aab", "axb", "xa", "bx");

    private static final List<List<String>> WORDS = words(3);

    @Test
    void no_word_is_missed_and_every_word_found_is_one() {
        int found = 0;
        for (int seed = 0; seed < Arbitrary.rounds(3_000); seed++) {
            var arbitrary = new Arbitrary(seed);
            var pattern = PatternTreeTest.pattern(arbitrary);
            var others =
                    IntStream.rangeClosed(0, arbitrary.number(4))
                            .mapToObj(_ -> PatternTreeTest.pattern(arbitrary))
                            .toList();

            var beyond = Search.beyond(pattern, others);

            var example = WORDS.stream().filter(w -> isBeyond(w, pattern, others)).findFirst();
            if (beyond.isPresent()) {
                found++;
                assertThat(isBeyond(beyond.get(), pattern, others))
                        .as("seed " + seed + ": " + beyond)
                        .isTrue();
            } else {
                assertThat(example)
                        .as("seed " + seed + ": " + pattern + " beyond " + others)
                        .isEmpty();
            }
        }
        assertThat(found).isBetween(500, Arbitrary.rounds(2_500));
    }

    @Test
    void globs_that_leave_one_word_over_are_seen_through() {
        // a* minus (*a*a* and a?...): what is left of `a*b` after `a*bb`, `a*ab`, `*ab*b`: for
        // example `ab`
        var left =
                Search.beyond(
                        one("a", "b"),
                        List.of(one("a", "bb"), one("a", "ab"), one("ax", ""), one("aa", "")));

        assertThat(left)
                .hasValueSatisfying(w -> assertThat(w.getFirst()).startsWith("a").endsWith("b"));
    }

    @Test
    void a_glob_is_within_a_wider_one_and_not_the_reverse() {
        assertThat(Search.beyond(one("", "bb"), List.of(one("", "b")))).isEmpty();
        assertThat(Search.beyond(one("", "b"), List.of(one("", "bb")))).isPresent();
        assertThat(Search.beyond(one("a", ""), List.of(one("", "a", "")))).isEmpty();
    }

    @Test
    void dots_are_never_tried_as_names() {
        assertThat(Search.beyond(one(".", ""), List.of(one("..", ""), one(".", "x"))))
                .hasValueSatisfying(w -> assertThat(w.getFirst()).isNotIn(".", ".."));
    }

    private static Pattern one(String... parts) {
        return new Pattern.Builder().one(new Glob(List.of(parts)), Domain.PATH).build();
    }

    private static boolean isBeyond(List<String> word, Pattern pattern, List<Pattern> others) {
        return PatternTreeTest.fits(pattern.items(), word)
                && others.stream().noneMatch(o -> PatternTreeTest.fits(o.items(), word));
    }

    private static List<List<String>> words(int longest) {
        var words = new ArrayList<List<String>>(List.of(List.of()));
        for (int from = 0, length = 0; length < longest; length++) {
            int to = words.size();
            for (; from < to; from++) {
                for (var segment : SEGMENTS) {
                    var word = new ArrayList<>(words.get(from));
                    word.add(segment);
                    words.add(word);
                }
            }
        }
        return words;
    }
}
