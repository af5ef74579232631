// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.policy;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/// A policy that is not used at all, because something in it is wrong. Holds everything that is.
public final class InvalidPolicyException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private static final Comparator<Problem> BY_PLACE =
            Comparator.comparing((Problem p) -> p.source().place())
                    .thenComparingInt(p -> p.source().line())
                    .thenComparingInt(p -> p.source().column());

    @SuppressWarnings("serial") // never serialised
    private final List<Problem> problems;

    public InvalidPolicyException(List<Problem> problems) {
        super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
        this.problems = problems.stream().sorted(BY_PLACE).toList();
    }

    public List<Problem> problems() {
        return problems;
    }
}
