// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.ArrayDeque;

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
        if (expression.length() > LARGEST) {
            throw tooLarge();
        }
        long size = size(expression);
        long cost = 50 + size * 2 + (text.length() + 1L) * (1 + size / 4);
        budget.spend((int) Math.min(cost, Integer.MAX_VALUE));
        try {
            return Pattern.compile(expression).matcher(text).find();
        } catch (PatternSyntaxException e) {
            return false;
        }
    }

    /// At most how large it becomes once each repetition is written out. Groups are followed,
    /// everything else counts as one; what is not understood is counted rather too large.
    private static long size(String expression) {
        var outer = new ArrayDeque<Long>();
        long sum = 0;
        long last = 0;
        for (int i = 0; i < expression.length(); i++) {
            char c = expression.charAt(i);
            if (c == '{' && last > 0) {
                long times = largestNumber(expression, i);
                sum += last * (times - 1);
                last *= times;
            } else if (c == '(') {
                outer.push(sum);
                sum = 1;
                last = 0;
            } else if (c == ')' && !outer.isEmpty()) {
                last = sum + 1;
                sum = outer.pop() + last;
            } else {
                i += c == '\\' ? 1 : 0;
                last = c == '*' || c == '+' || c == '?' ? last + 1 : 2;
                sum += 2;
            }
            if (sum > LARGEST || last > LARGEST) {
                throw tooLarge();
            }
        }
        return sum;
    }

    private static long largestNumber(String expression, int brace) {
        long largest = 1;
        long number = 0;
        for (int i = brace + 1; i < expression.length() && expression.charAt(i) != '}'; i++) {
            char c = expression.charAt(i);
            number = c >= '0' && c <= '9' ? Math.min(number * 10 + c - '0', LARGEST) : 0;
            largest = Math.max(largest, number);
        }
        return largest;
    }

    private static Budget.Spent tooLarge() {
        return new Budget.Spent("a regular expression of it is too large");
    }
}
