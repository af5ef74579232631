// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import java.util.List;
import java.util.stream.Collectors;

/// A name and what it is said of. Without variables it is a fact.
public record Predicate(String name, List<Term> terms) {
    public Predicate {
        terms = List.copyOf(terms);
    }

    public static Predicate of(String name, Term... terms) {
        return new Predicate(name, List.of(terms));
    }

    boolean isFact() {
        return terms.stream().noneMatch(Term.Variable.class::isInstance);
    }

    int weight() {
        int sum = 1;
        for (int i = 0; i < terms.size(); i++) {
            sum += terms.get(i).weight();
        }
        return sum;
    }

    @Override
    public String toString() {
        return terms.stream()
                .map(Term::toString)
                .collect(Collectors.joining(", ", name + "(", ")"));
    }
}
