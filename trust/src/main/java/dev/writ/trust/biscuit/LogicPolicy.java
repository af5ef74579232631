// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import java.util.List;
import java.util.stream.Collectors;

/// What an authorizer answers if one of the queries has an answer.
public record LogicPolicy(boolean allows, List<Rule> queries) {
    public LogicPolicy {
        queries = List.copyOf(queries);
    }

    @Override
    public String toString() {
        return queries.stream()
                .map(Rule::bodyText)
                .collect(Collectors.joining(" or ", allows ? "allow if " : "deny if ", ""));
    }
}
