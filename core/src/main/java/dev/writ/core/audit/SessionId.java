// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.audit;

/// Names one agent's run.
public record SessionId(String value) {
    private static final int LONGEST = 64;

    public SessionId {
        if (!isValid(value)) {
            throw new IllegalArgumentException("not a session id: `" + value + "`");
        }
    }

    /// Whether `text` can be the name of a session: letters, digits, `_` and `-`.
    public static boolean isValid(String text) {
        if (text.isEmpty() || text.length() > LONGEST) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            if (!letter && !(c >= '0' && c <= '9') && c != '_' && c != '-') {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return value;
    }
}
