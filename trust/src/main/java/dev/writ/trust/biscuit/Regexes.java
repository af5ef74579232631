// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.writ.trust.RegexSize;

/// Regular expressions of strangers: matched in time that grows with the text and with the program
/// they become, both of which are paid for before anything starts.
final class Regexes {
    /// Into how many instructions an expression may unfold.
    private static final int LARGEST = 1_000;

    private final Budget budget;

    Regexes(Budget budget) {
        this.budget = budget;
    }

    /// Whether it fits some part of `text`. What is no expression fits nothing.
    boolean matches(String text, String expression) {
        long size = RegexSize.of(expression, LARGEST).orElseThrow(Regexes::tooLarge);
        long cost = 50 + size * 2 + (text.length() + 1L) * (1 + size / 4);
        budget.spend((int) Math.min(cost, Integer.MAX_VALUE));
        try {
            return Pattern.compile(expression).matcher(text).find();
        } catch (PatternSyntaxException e) {
            return false;
        }
    }

    private static Budget.Spent tooLarge() {
        return new Budget.Spent("a regular expression of it is too large");
    }
}
