// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import dev.writ.core.pattern.Domain;
import dev.writ.core.pattern.Glob;
import dev.writ.core.pattern.Pattern.Item;
import java.util.ArrayList;
import java.util.List;

/// Reads and writes segments with `*`, `**` and backslash escapes: the one place that knows this
/// syntax.
final class Segments {
    /// How a text is to be read.
    enum Reading {
        /// Wildcards count; other glob characters are refused, so that nobody believes they work.
        PATTERN,
        /// Wildcards count; other glob characters are ordinary.
        WORD,
        /// One exact object: a wildcard is refused.
        EXACT,
        /// One exact object: a star is a star.
        LITERAL
    }

    private static final String GLOB_CHARACTERS = "?[]{}";

    private Segments() {}

    /// The segments of `text` between slashes, empty ones included. `offset` is where `text` stands
    /// in the whole string.
    static List<Item> split(String text, int offset, Domain domain, Reading reading) {
        var items = new ArrayList<Item>();
        int start = 0;
        for (int i = 0; i <= text.length(); i++) {
            if (i < text.length() - 1 && text.charAt(i) == '\\') {
                i++;
            } else if (i == text.length() || text.charAt(i) == '/') {
                items.add(item(text.substring(start, i), offset + start, domain, reading));
                start = i + 1;
            }
        }
        return items;
    }

    /// One segment.
    static Item item(String text, int offset, Domain domain, Reading reading) {
        if (reading != Reading.EXACT && reading != Reading.LITERAL && text.equals("**")) {
            return new Item.Many(domain);
        }
        var glob = glob(text, offset, reading);
        return glob.hasStar()
                ? new Item.One(glob, domain)
                : new Item.Literal(glob.parts().getFirst());
    }

    /// One segment that is no run of segments.
    static Glob glob(String text, int offset, Reading reading) {
        var parts = new ArrayList<String>();
        var part = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\') {
                if (++i == text.length()) {
                    throw SyntaxException.at(
                            offset + i - 1,
                            "nothing follows the backslash",
                            "write `\\\\` for a backslash");
                }
                refuseSlash(text.charAt(i), offset + i, reading);
                part.append(text.charAt(i));
            } else if (c == '*' && reading != Reading.LITERAL) {
                refuseStar(text, i, offset, reading);
                parts.add(part.toString());
                part.setLength(0);
            } else if (reading == Reading.PATTERN && GLOB_CHARACTERS.indexOf(c) >= 0) {
                throw SyntaxException.at(
                        offset + i,
                        "`" + c + "` is not a wildcard here; only `*` and `**` are",
                        "write `\\" + c + "` for the character itself");
            } else {
                part.append(c);
            }
        }
        parts.add(part.toString());
        return new Glob(parts);
    }

    private static void refuseSlash(char c, int at, Reading reading) {
        if (c == '/' && (reading == Reading.PATTERN || reading == Reading.EXACT)) {
            throw SyntaxException.at(
                    at, "no name can have a slash in it", "leave out the backslash");
        }
    }

    private static void refuseStar(String text, int i, int offset, Reading reading) {
        if (reading == Reading.EXACT) {
            throw SyntaxException.at(
                    offset + i,
                    "an action names one exact object, `*` does not",
                    "write `\\*` for a star in a name");
        }
        if (i + 1 < text.length() && text.charAt(i + 1) == '*') {
            throw SyntaxException.at(
                    offset + i, "`**` must be a whole segment", "write `/**/`, or a single `*`");
        }
    }

    static String escape(String segment) {
        var out = new StringBuilder(segment.length() + 4);
        for (int i = 0; i < segment.length(); i++) {
            char c = segment.charAt(i);
            if (c == '*' || c == '\\' || GLOB_CHARACTERS.indexOf(c) >= 0) {
                out.append('\\');
            }
            out.append(c);
        }
        return out.toString();
    }

    static String print(Item item) {
        if (item instanceof Item.Literal(var segment)) {
            return escape(segment);
        }
        return item instanceof Item.One(var glob, _) ? print(glob) : "**";
    }

    static String print(Glob glob) {
        return String.join("*", glob.parts().stream().map(Segments::escape).toList());
    }
}
