// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.pattern;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// What one segment may look like: fixed parts with `*`, any characters, between them. `*.c` has
/// the parts `""` and `".c"`. A glob with one part is plain text.
///
/// @param parts the fixed text before, between and after the stars
public record Glob(List<String> parts) {
    /// Any segment at all.
    public static final Glob ANY = new Glob(List.of("", ""));

    public Glob {
        parts = List.copyOf(parts);
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("a glob has at least one part");
        }
    }

    public boolean hasStar() {
        return parts.size() > 1;
    }

    String head() {
        return parts.getFirst();
    }

    String tail() {
        return parts.getLast();
    }

    public boolean matches(String segment) {
        if (!hasStar()) {
            return segment.equals(head());
        }
        int end = segment.length() - tail().length();
        int from = head().length();
        if (end < from || !segment.startsWith(head()) || !segment.endsWith(tail())) {
            return false;
        }
        for (int i = 1; i < parts.size() - 1; i++) {
            // The leftmost place is always right: whatever fits after a later one fits after it
            // too.
            int at = segment.indexOf(parts.get(i), from);
            if (at < 0 || at + parts.get(i).length() > end) {
                return false;
            }
            from = at + parts.get(i).length();
        }
        return true;
    }

    // As in a record by itself, but ready at once.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Glob glob && parts.equals(glob.parts);
    }

    @Override
    public int hashCode() {
        return parts.hashCode();
    }

    @Override
    public String toString() {
        return String.join("*", parts);
    }
}
