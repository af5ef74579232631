// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.policy;

import java.util.List;
import java.util.stream.Collectors;

/// A policy that is not used at all, because something in it is wrong. Holds everything that is.
public final class InvalidPolicyException extends RuntimeException {
    private static final long serialVersionUID = 1;

    @SuppressWarnings("serial") // never serialised
    private final List<Problem> problems;

    public InvalidPolicyException(List<Problem> problems) {
        super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
        this.problems = List.copyOf(problems);
    }

    public List<Problem> problems() {
        return problems;
    }
}
