// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust;

import java.util.ArrayDeque;
import java.util.OptionalLong;

/// How much a regular expression of a stranger would cost: a few characters can unfold into any
/// number of instructions.
public final class RegexSize {
    private final String expression;
    private final int largest;

    private RegexSize(String expression, int largest) {
        this.expression = expression;
        this.largest = largest;
    }

    /// At most how many instructions it becomes once each repetition is written out; empty if more
    /// than `largest`.
    public static OptionalLong of(String expression, int largest) {
        return expression.length() > largest
                ? OptionalLong.empty()
                : new RegexSize(expression, largest).size();
    }

    /// Groups are followed, everything else counts as one; what is not understood is counted rather
    /// too large.
    private OptionalLong size() {
        var outer = new ArrayDeque<Long>();
        long sum = 0;
        long last = 0;
        for (int i = 0; i < expression.length(); i++) {
            char c = expression.charAt(i);
            if (c == '{' && last > 0) {
                long times = largestNumber(i);
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
            if (sum > largest || last > largest) {
                return OptionalLong.empty();
            }
        }
        return OptionalLong.of(sum);
    }

    private long largestNumber(int brace) {
        long found = 1;
        long number = 0;
        for (int i = brace + 1; i < expression.length() && expression.charAt(i) != '}'; i++) {
            char c = expression.charAt(i);
            number = c >= '0' && c <= '9' ? Math.min(number * 10 + c - '0', largest) : 0;
            found = Math.max(found, number);
        }
        return found;
    }
}
