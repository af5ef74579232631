// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.corpus;

import java.util.List;
import java.util.regex.Pattern;

/// Which cases are wanted: group letters, ids, or ids with `*` and `?`. No word at all is every
/// case.
public record Selection(List<String> words) {
    public static final Selection ALL = new Selection(List.of());

    public Selection {
        words = List.copyOf(words);
    }

    /// The wanted part of `corpus`, without empty groups.
    ///
    /// @throws CorpusException if a word selects nothing
    public Corpus of(Corpus corpus) {
        for (String word : words) {
            if (corpus.groups().stream()
                    .flatMap(g -> g.cases().stream())
                    .noneMatch(c -> fits(word, c))) {
                throw new CorpusException("no case or group is called `" + word + "`");
            }
        }
        return new Corpus(
                corpus.groups().stream()
                        .map(this::part)
                        .filter(g -> !g.cases().isEmpty())
                        .toList());
    }

    private Group part(Group group) {
        var cases = group.cases().stream().filter(this::selects).toList();
        return new Group(group.letter(), group.title(), group.policy(), group.rules(), cases);
    }

    private boolean selects(Case test) {
        return words.isEmpty() || words.stream().anyMatch(w -> fits(w, test));
    }

    private static boolean fits(String word, Case test) {
        return word.equals(test.group()) || glob(word).matcher(test.id()).matches();
    }

    private static Pattern glob(String word) {
        var regex = new StringBuilder();
        for (int i = 0; i < word.length(); i++) {
            char c = word.charAt(i);
            regex.append(
                    switch (c) {
                        case '*' -> ".*";
                        case '?' -> ".";
                        default -> Pattern.quote(String.valueOf(c));
                    });
        }
        return Pattern.compile(regex.toString());
    }
}
