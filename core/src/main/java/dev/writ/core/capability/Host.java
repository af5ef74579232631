// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import dev.writ.core.pattern.Pattern;
import java.net.IDN;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/// One host: a name in its one normal form, or an address.
public sealed interface Host {
    /// Stands before a host that wildcards pass by.
    String SPECIAL = Pattern.END + "special";

    /// A name: lower case, ASCII, no trailing dot.
    ///
    /// @param isSpecial whether wildcards pass it by
    record Name(List<String> labels, boolean isSpecial) implements Host {
        public Name(List<String> labels) {
            this(List.copyOf(labels), SpecialRanges.containName(String.join(".", labels)));
        }

        @Override
        public String toString() {
            return String.join(".", labels);
        }
    }

    /// An address, written as such.
    record Literal(Address address) implements Host {
        @Override
        public boolean isSpecial() {
            return true;
        }

        @Override
        public String toString() {
            return address.isV6() ? "[" + address + "]" : address.toString();
        }
    }

    /// Whether wildcards pass it by.
    boolean isSpecial();

    /// The segments of this host: its labels from the top; in one piece if it must be named
    /// exactly.
    default void spell(Consumer<String> out) {
        if (this instanceof Name name && !isSpecial()) {
            for (int i = name.labels().size() - 1; i >= 0; i--) {
                out.accept(name.labels().get(i));
            }
        } else {
            out.accept(SPECIAL);
            out.accept(toString());
        }
    }

    /// Reads a host of a capability: an address must be written plainly.
    static Host parse(String text, int offset) {
        return parse(text, offset, false);
    }

    /// Reads a host that somebody asked for: an address in any spelling is that address.
    static Host parseLoose(String text, int offset) {
        return parse(text, offset, true);
    }

    private static Host parse(String text, int offset, boolean loose) {
        if (text.startsWith("[")) {
            return parseBracketed(text, offset);
        }
        String name = ascii(text, offset);
        if (name.endsWith(".")) {
            name = name.substring(0, name.length() - 1);
        }
        var labels = List.of(name.split("\\.", -1));
        if (isNumber(labels.getLast())) {
            return new Literal(parseV4(name, offset, loose));
        }
        if (name.length() > 253) {
            throw SyntaxException.at(offset, "a host name has at most 253 characters", "");
        }
        labels.forEach(label -> checkLabel(label, name(text), offset));
        return new Name(labels);
    }

    private static String name(String text) {
        return Text.shown(text);
    }

    private static Host parseBracketed(String text, int offset) {
        if (text.indexOf('%') >= 0) {
            throw SyntaxException.at(
                    offset,
                    "an address cannot have a zone: `" + name(text) + "`",
                    "leave out `%...`");
        }
        if (!text.endsWith("]")) {
            throw SyntaxException.at(
                    offset, "the bracket is not closed: `" + name(text) + "`", "write `[::1]`");
        }
        return new Literal(
                Address.parseV6(text.substring(1, text.length() - 1))
                        .orElseThrow(
                                () ->
                                        SyntaxException.at(
                                                offset,
                                                "not an IPv6 address: `" + name(text) + "`",
                                                "write it like `[2001:db8::1]`")));
    }

    private static Address parseV4(String name, int offset, boolean loose) {
        var address =
                Address.parseLooseV4(name)
                        .orElseThrow(
                                () ->
                                        SyntaxException.at(
                                                offset,
                                                "a host whose last part is a number must be an address: `"
                                                        + name(name)
                                                        + "`",
                                                "write it like `192.0.2.1`"));
        if (!loose && !address.toString().equals(name)) {
            throw SyntaxException.at(
                    offset,
                    "an unusual way to write an address: `" + name(name) + "`",
                    "write `" + address + "`");
        }
        return address;
    }

    /// A number in the eyes of the C library: decimal, octal or hexadecimal.
    private static boolean isNumber(String label) {
        if (label.startsWith("0x")) {
            return label.chars().skip(2).allMatch(c -> Character.digit(c, 16) >= 0);
        }
        return !label.isEmpty() && Text.isAll(label, Text::isDigit);
    }

    /// Lower case; other scripts as `xn--`. What the versions of IDNA read differently is refused.
    private static String ascii(String text, int offset) {
        if (Text.isAll(text, c -> c < 128)) {
            return text.toLowerCase(Locale.ROOT);
        }
        if (text.chars()
                .anyMatch(c -> c == 'ß' || c == 'ẞ' || c == 'ς' || c == 0x200C || c == 0x200D)) {
            throw SyntaxException.at(
                    offset,
                    "this name has more than one ASCII form: `" + name(text) + "`",
                    "write its `xn--` form");
        }
        try {
            return IDN.toASCII(text, IDN.USE_STD3_ASCII_RULES).toLowerCase(Locale.ROOT);
        } catch (IllegalArgumentException e) {
            throw SyntaxException.at(
                    offset, "not a host name: `" + name(text) + "`", "write its `xn--` form");
        }
    }

    private static void checkLabel(String label, String name, int offset) {
        boolean good =
                !label.isEmpty()
                        && label.length() <= 63
                        && !label.startsWith("-")
                        && !label.endsWith("-")
                        && label.chars().allMatch(Host::isLabelCharacter);
        if (!good) {
            throw SyntaxException.at(
                    offset,
                    "not a host name: `" + name + "`",
                    label.equals("*")
                            ? "a wildcard may only stand first: `*.example.com`"
                            : label.isEmpty() ? "a part between dots is empty" : "");
        }
    }

    private static boolean isLabelCharacter(int c) {
        return Text.isLower(c) || Text.isDigit(c) || c == '-' || c == '_';
    }
}
