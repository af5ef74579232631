// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// If the body holds, so does the head.
///
/// @param scopes empty for those of its block
public record Rule(
        Predicate head, List<Predicate> body, List<Expression> expressions, List<Scope> scopes) {
    public Rule {
        body = List.copyOf(body);
        expressions = List.copyOf(expressions);
        scopes = List.copyOf(scopes);
    }

    /// A question: a rule whose head does not matter.
    public static Rule query(
            List<Predicate> body, List<Expression> expressions, List<Scope> scopes) {
        return new Rule(Predicate.of("query"), body, expressions, scopes);
    }

    /// Whether each variable of the head gets its value from the body.
    boolean isBound() {
        return head.terms().stream()
                .filter(Term.Variable.class::isInstance)
                .allMatch(v -> body.stream().anyMatch(p -> p.terms().contains(v)));
    }

    String bodyText() {
        var parts = new ArrayList<String>();
        body.forEach(p -> parts.add(p.toString()));
        expressions.forEach(e -> parts.add(e.toString()));
        String text = String.join(", ", parts);
        return scopes.isEmpty() ? text : text + " trusting " + join(scopes);
    }

    static String join(List<?> parts) {
        return parts.stream().map(Object::toString).collect(Collectors.joining(", "));
    }

    @Override
    public String toString() {
        return head + " <- " + bodyText();
    }
}
