// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.policy.Effect;
import dev.writ.runtime.approval.Ink;

/// Colours, where there is a person to see them.
record Paint(boolean on) implements Ink {
    @Override
    public String bold(String text) {
        return in("1", text);
    }

    @Override
    public String dim(String text) {
        return in("2", text);
    }

    @Override
    public String warning(String text) {
        return in("33", text);
    }

    /// A decision word in its colour, padded to the width of the widest.
    String decision(String word) {
        String padded = String.format("%-5s", word);
        if (word.equals(Effect.ALLOW.word())) {
            return in("32", padded);
        }
        return in(word.equals(Effect.ASK.word()) ? "33" : "31", padded);
    }

    /// What came of something, in its colour, padded so that most stand in a column.
    String outcome(String word) {
        String padded = String.format("%-9s", word);
        return switch (word) {
            case "permitted", "approved", "completed", "verified" -> in("32", padded);
            case "refused", "failed", "killed", "incomplete", "wrong" -> in("31", padded);
            case "asked", "unchecked", "none", "limit", "weaker", "token-revoked" ->
                    in("33", padded);
            default -> padded;
        };
    }

    private String in(String code, String text) {
        return on ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
    }
}
