// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import dev.writ.core.pattern.Domain;
import dev.writ.core.pattern.Glob;
import dev.writ.core.pattern.Pattern.Item;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// The one reading of the path and the query of a URL. A `%HH` that means an ordinary character is
/// that character; one that does not is kept as a single unit; what servers are known to read in
/// two ways is refused.
///
/// In a segment, the unit `%HH` is one character of a private range, so that wildcards cannot cut
/// it in half.
final class UrlText {
    private static final char UNITS = 0xF700;
    private static final String UNRESERVED = "-._~";
    private static final String ORDINARY_IN_PATH = UNRESERVED + "!$&'()*+,;=:@";
    private static final String ORDINARY_IN_QUERY = UNRESERVED + "!$'()*,;:@/?";

    private UrlText() {}

    /// The segments of a path that begins with `/`. A trailing slash is ignored.
    static List<Item> parsePath(String text, int offset, boolean wildcards) {
        var items = new ArrayList<Item>();
        int start = 1;
        for (int i = 1; i <= text.length(); i++) {
            if (i < text.length() && text.charAt(i) != '/') {
                continue;
            }
            String segment = text.substring(start, i);
            if (segment.isEmpty() && i < text.length()) {
                throw SyntaxException.at(
                        offset + i,
                        "an empty segment `//` has no one meaning",
                        "write the path with single slashes");
            }
            if (!segment.isEmpty()) {
                items.add(segment(segment, offset + start, wildcards));
            }
            start = i + 1;
        }
        return items;
    }

    private static Item segment(String text, int offset, boolean wildcards) {
        if (wildcards && text.equals("**")) {
            return new Item.Many(Domain.URL);
        }
        var glob = glob(text, offset, wildcards, ORDINARY_IN_PATH);
        String head = glob.parts().getFirst();
        String name = head.indexOf(';') < 0 ? head : head.substring(0, head.indexOf(';'));
        boolean whole = !glob.hasStar() || head.indexOf(';') >= 0;
        if (whole && (name.equals(".") || name.equals(".."))) {
            throw SyntaxException.at(
                    offset,
                    "the segment `" + Text.shown(text) + "` has no one meaning",
                    "write the path that is meant");
        }
        return glob.hasStar() ? new Item.One(glob, Domain.URL) : new Item.Literal(head);
    }

    static Glob parseQuery(String text, int offset, boolean wildcards) {
        return glob(text, offset, wildcards, ORDINARY_IN_QUERY);
    }

    private static Glob glob(String text, int offset, boolean wildcards, String ordinary) {
        var parts = new ArrayList<String>();
        var part = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '*' && wildcards) {
                if (i + 1 < text.length() && text.charAt(i + 1) == '*') {
                    throw SyntaxException.at(
                            offset + i,
                            "`**` must be a whole segment of the path",
                            "write `/**`, or a single `*`");
                }
                parts.add(part.toString());
                part.setLength(0);
            } else if (c == '%') {
                part.append(unit(text, i, offset, ordinary));
                i += 2;
            } else if (c == '\\' || c == ' ' || c == '#' || Text.isControl(c)) {
                throw SyntaxException.at(
                        offset + i,
                        "`" + Text.shown(String.valueOf(c)) + "` cannot stand in a URL",
                        "");
            } else if (c >= 128) {
                int point = text.codePointAt(i);
                for (byte b : Character.toString(point).getBytes(StandardCharsets.UTF_8)) {
                    part.append((char) (UNITS + (b & 0xFF)));
                }
                i += Character.charCount(point) - 1;
            } else {
                part.append(
                        isOrdinary(c, ordinary) || ordinary.equals(ORDINARY_IN_QUERY)
                                ? c
                                : (char) (UNITS + c));
            }
        }
        parts.add(part.toString());
        return new Glob(parts);
    }

    private static char unit(String text, int i, int offset, String ordinary) {
        int high = i + 2 < text.length() ? Character.digit(text.charAt(i + 1), 16) : -1;
        int low = i + 2 < text.length() ? Character.digit(text.charAt(i + 2), 16) : -1;
        if (high < 0 || low < 0 || text.charAt(i + 1) > 'f' || text.charAt(i + 2) > 'f') {
            throw SyntaxException.at(
                    offset + i,
                    "`%` must be followed by two hexadecimal digits",
                    "write `%25` for a percent sign");
        }
        int b = (high << 4) | low;
        boolean path = ordinary.equals(ORDINARY_IN_PATH);
        if (b < 0x20 || b == 0x7F || (path && (b == '/' || b == '\\'))) {
            throw SyntaxException.at(
                    offset + i,
                    "`" + text.substring(i, i + 3) + "` in a URL has no one meaning",
                    "");
        }
        return isOrdinary((char) b, ordinary) ? (char) b : (char) (UNITS + b);
    }

    private static boolean isOrdinary(char c, String ordinary) {
        return Text.isPlain(c) || ordinary.indexOf(c) >= 0;
    }

    static String printPath(List<Item> items) {
        return items.stream().map(UrlText::printSegment).collect(Collectors.joining("/", "/", ""));
    }

    private static String printSegment(Item item) {
        return switch (item) {
            case Item.Literal(var segment) -> print(segment);
            case Item.One(var glob, _) -> print(glob);
            case Item.Many _ -> "**";
        };
    }

    static String print(Glob glob) {
        return glob.parts().stream().map(UrlText::print).collect(Collectors.joining("*"));
    }

    /// A star in a name is written `%2A`, so that it is not read as a wildcard.
    static String print(String segment) {
        var out = new StringBuilder(segment.length());
        for (int i = 0; i < segment.length(); i++) {
            char c = segment.charAt(i);
            boolean unit = c >= UNITS && c <= UNITS + 0xFF;
            if (unit || c == '*') {
                out.append(String.format("%%%02X", unit ? c - UNITS : c));
            } else {
                out.append(c);
            }
        }
        return out.toString();
    }
}
