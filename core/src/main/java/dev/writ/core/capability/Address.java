// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// An IP address as a number. An IPv4 address mapped into IPv6 is the IPv4 address.
///
/// @param isV6 whether all 128 bits count; otherwise the low 32 do
public record Address(boolean isV6, long high, long low) {
    private static final long MAPPED = 0xFFFFL << 32;

    public Address {
        if (isV6 && high == 0 && (low & 0xFFFF_FFFF_0000_0000L) == MAPPED) {
            isV6 = false;
            low &= 0xFFFF_FFFFL;
        }
    }

    static Address v4(long bits) {
        return new Address(false, 0, bits);
    }

    /// Four decimal numbers without leading zeros.
    static Optional<Address> parsePlainV4(String text) {
        return parseLooseV4(text).filter(a -> a.toString().equals(text));
    }

    /// Any spelling that the C library takes: one to four numbers, decimal, octal or hexadecimal,
    /// the last one filling the rest.
    static Optional<Address> parseLooseV4(String text) {
        var parts = text.split("\\.", -1);
        if (parts.length > 4) {
            return Optional.empty();
        }
        long bits = 0;
        for (int i = 0; i < parts.length; i++) {
            boolean last = i == parts.length - 1;
            long number = number(parts[i]);
            int width = last ? 8 * (5 - parts.length) : 8;
            if (number < 0 || number >= (1L << width)) {
                return Optional.empty();
            }
            bits = (bits << width) | number;
        }
        return Optional.of(v4(bits));
    }

    private static long number(String text) {
        String t = text.toLowerCase(Locale.ROOT);
        int radix = t.startsWith("0x") ? 16 : t.length() > 1 && t.startsWith("0") ? 8 : 10;
        String digits = radix == 16 ? t.substring(2) : t;
        if (digits.isEmpty()
                || digits.length() > 16
                || !Text.isAll(digits, c -> c <= 'f' && Character.digit(c, radix) >= 0)) {
            return radix == 16 && digits.isEmpty() ? 0 : -1;
        }
        return Long.parseLong(digits, radix);
    }

    /// Eight groups, `::` once for zeros, optionally ending in a dotted IPv4 address. No brackets,
    /// no zone.
    static Optional<Address> parseV6(String text) {
        int gap = text.indexOf("::");
        if (gap >= 0 && text.indexOf("::", gap + 1) >= 0) {
            return Optional.empty();
        }
        var head = groups(gap < 0 ? text : text.substring(0, gap), gap < 0);
        var tail = groups(gap < 0 ? "" : text.substring(gap + 2), true);
        int size = head.size() + tail.size();
        if (head.contains(-1) || tail.contains(-1) || (gap < 0 ? size != 8 : size > 7)) {
            return Optional.empty();
        }
        long[] halves = new long[2];
        for (int i = 0; i < 8; i++) {
            int fromEnd = i - (8 - tail.size());
            int group = i < head.size() ? head.get(i) : fromEnd >= 0 ? tail.get(fromEnd) : 0;
            halves[i / 4] = (halves[i / 4] << 16) | group;
        }
        return Optional.of(new Address(true, halves[0], halves[1]));
    }

    /// The 16-bit groups of `text`; -1 stands for anything that is none.
    private static List<Integer> groups(String text, boolean mayEndInV4) {
        var groups = new ArrayList<Integer>();
        if (text.isEmpty()) {
            return groups;
        }
        var parts = text.split(":", -1);
        for (int i = 0; i < parts.length; i++) {
            if (mayEndInV4 && i == parts.length - 1 && parts[i].indexOf('.') >= 0) {
                long bits = parsePlainV4(parts[i]).map(Address::low).orElse(-1L);
                groups.add(bits < 0 ? -1 : (int) (bits >> 16));
                groups.add(bits < 0 ? -1 : (int) (bits & 0xFFFF));
            } else {
                boolean good =
                        !parts[i].isEmpty()
                                && parts[i].length() <= 4
                                && parts[i].chars()
                                        .allMatch(c -> c < 128 && Character.digit(c, 16) >= 0);
                groups.add(good ? Integer.parseInt(parts[i], 16) : -1);
            }
        }
        return groups;
    }

    /// Whether this address is not plainly on the public internet: it is never reached by accident,
    /// only by its own name.
    public boolean isSpecial() {
        return SpecialRanges.contain(this);
    }

    private int group(int i) {
        return (int) ((i < 4 ? high >>> (48 - 16 * i) : low >>> (48 - 16 * (i - 4))) & 0xFFFF);
    }

    /// The usual spelling: RFC 5952 for IPv6.
    @Override
    public String toString() {
        if (!isV6) {
            return (low >> 24)
                    + "."
                    + ((low >> 16) & 255)
                    + "."
                    + ((low >> 8) & 255)
                    + "."
                    + (low & 255);
        }
        int gapAt = -1;
        int gap = 1;
        for (int i = 0; i < 8; i++) {
            int n = 0;
            while (i + n < 8 && group(i + n) == 0) {
                n++;
            }
            if (n > gap) {
                gapAt = i;
                gap = n;
            }
        }
        var out = new StringBuilder();
        for (int i = 0; i < 8; i++) {
            if (i == gapAt) {
                out.append("::");
                i += gap - 1;
            } else {
                out.append(out.isEmpty() || out.charAt(out.length() - 1) == ':' ? "" : ":")
                        .append(Integer.toHexString(group(i)));
            }
        }
        return out.toString();
    }
}
