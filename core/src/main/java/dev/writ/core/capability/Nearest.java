// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import java.util.Collection;
import java.util.Comparator;

/// Guesses what somebody meant to type.
public final class Nearest {
    /// Longer than anything a person mistypes.
    private static final int LONGEST = 64;

    private Nearest() {}

    /// "did you mean `x`?" for the known word closest to `typed`, or nothing if none is close.
    public static String suggestion(String typed, Collection<String> known) {
        if (typed.length() > LONGEST) {
            return "";
        }
        return known.stream()
                .filter(
                        word ->
                                distance(typed, word)
                                        <= Math.max(1, Math.min(typed.length(), word.length()) / 2))
                .min(
                        Comparator.comparingInt((String word) -> distance(typed, word))
                                .thenComparing(word -> word))
                .map(word -> "did you mean `" + word + "`?")
                .orElse("");
    }

    /// How many characters to insert, remove, replace or swap with a neighbour.
    private static int distance(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                int same = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                d[i][j] = Math.min(d[i - 1][j - 1] + same, 1 + Math.min(d[i - 1][j], d[i][j - 1]));
                if (i > 1
                        && j > 1
                        && a.charAt(i - 1) == b.charAt(j - 2)
                        && a.charAt(i - 2) == b.charAt(j - 1)) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}
