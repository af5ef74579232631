// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import java.util.List;
import java.util.stream.Collectors;

/// What must hold for a token to be good for anything.
public record Check(Kind kind, List<Rule> queries) {
    public enum Kind {
        /// one query has an answer
        IF("check if"),
        /// all that the body of one query finds fits its expressions
        ALL("check all"),
        /// a query has no answer
        REJECT("reject if");

        static final List<Kind> NUMBERED = List.of(values());

        private final String words;

        Kind(String words) {
            this.words = words;
        }
    }

    public Check {
        queries = List.copyOf(queries);
    }

    @Override
    public String toString() {
        return queries.stream()
                .map(Rule::bodyText)
                .collect(Collectors.joining(" or ", kind.words + " ", ""));
    }
}
