// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

/// What an evaluation may still cost, in steps: a comparison, an operation, a character looked at.
/// Never in time, which other work would use up.
final class Budget {
    /// Nobody may catch this but who gave the budget: least of all `try_or`.
    static final class Spent extends BiscuitException {
        private static final long serialVersionUID = 1;

        Spent(String what) {
            super(what);
        }
    }

    private final int most;
    private int left;

    Budget(int steps) {
        this.most = steps;
        this.left = steps;
    }

    void spend(int steps) {
        left -= steps;
        if (left < 0 || steps < 0) {
            throw new Spent("it takes more than " + most + " steps to evaluate");
        }
    }

    int spent() {
        return most - left;
    }
}
