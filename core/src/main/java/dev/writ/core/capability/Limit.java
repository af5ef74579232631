// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import dev.writ.core.pattern.Pattern;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// A bound on an amount. It covers every smaller amount.
///
/// @param amount bytes, milliseconds or a count, as the resource has it
public record Limit(Resource resource, long amount) implements Capability {
    /// No bound.
    public static final long UNLIMITED = Long.MAX_VALUE;

    /// What amounts are measured in.
    public enum Unit {
        BYTES(
                List.of("", "k", "m", "g", "t"),
                List.of(1L, 1L << 10, 1L << 20, 1L << 30, 1L << 40),
                "512m"),
        TIME(
                List.of("ms", "s", "m", "h", "d"),
                List.of(1L, 1000L, 60_000L, 3_600_000L, 86_400_000L),
                "30s"),
        COUNT(List.of(""), List.of(1L), "64");

        private final List<String> suffixes;
        private final List<Long> factors;
        private final String example;

        Unit(List<String> suffixes, List<Long> factors, String example) {
            this.suffixes = suffixes;
            this.factors = factors;
            this.example = example;
        }

        private long parse(String text, int offset) {
            int digits = 0;
            while (digits < text.length()
                    && text.charAt(digits) >= '0'
                    && text.charAt(digits) <= '9') {
                digits++;
            }
            int suffix = suffixes.indexOf(text.substring(digits));
            if (digits == 0 || digits > 18 || suffix < 0) {
                throw SyntaxException.at(
                        offset,
                        "not an amount: `" + Text.shown(text) + "`",
                        "write it like `" + example + "`");
            }
            long number = Long.parseLong(text.substring(0, digits));
            long factor = factors.get(suffix);
            if (number == 0 || number > (UNLIMITED - 1) / factor) {
                throw SyntaxException.at(
                        offset,
                        "amount out of range: `" + text + "`",
                        "write it like `" + example + "`");
            }
            return number * factor;
        }

        private String print(long amount) {
            int best = 0;
            for (int i = 0; i < factors.size(); i++) {
                if (amount % factors.get(i) == 0) {
                    best = i;
                }
            }
            return amount / factors.get(best) + suffixes.get(best);
        }
    }

    /// What is bounded.
    public enum Resource {
        MEMORY(Unit.BYTES),
        TIME(Unit.TIME),
        CPU(Unit.TIME),
        PROCS(Unit.COUNT),
        FILES(Unit.COUNT),
        DISK(Unit.BYTES),
        OUTPUT(Unit.BYTES);

        private final Unit unit;

        Resource(Unit unit) {
            this.unit = unit;
        }

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /// The names that may be limited.
        public static List<String> words() {
            return Arrays.stream(values()).map(Resource::word).toList();
        }
    }

    static Limit parse(String text, int offset) {
        int equals = text.indexOf('=');
        String word = equals < 0 ? text : text.substring(0, equals);
        int at = Resource.words().indexOf(word);
        if (at < 0) {
            String nearest = Nearest.suggestion(word, Resource.words());
            throw SyntaxException.at(
                    offset,
                    "unknown limit `" + Text.shown(word) + "`",
                    nearest.isEmpty()
                            ? "the limits are " + String.join(", ", Resource.words())
                            : nearest);
        }
        var resource = Resource.values()[at];
        if (equals < 0) {
            throw SyntaxException.at(
                    offset + text.length(),
                    "an amount is missing",
                    "write `limit:" + word + "=" + resource.unit.example + "`");
        }
        return new Limit(
                resource, resource.unit.parse(text.substring(equals + 1), offset + equals + 1));
    }

    @Override
    public Kind kind() {
        return Kind.LIMIT;
    }

    /// Amounts are compared as numbers, not by pattern.
    @Override
    public List<Pattern> grants() {
        return List.of();
    }

    @Override
    public boolean covers(Capability other) {
        return other instanceof Limit(var otherResource, var otherAmount)
                && otherResource == resource
                && otherAmount <= amount;
    }

    /// A bound that is twice as wide.
    public Limit twice() {
        return new Limit(resource, amount > UNLIMITED / 2 ? UNLIMITED : 2 * amount);
    }

    /// The amount as one writes it.
    public String printAmount() {
        return amount == UNLIMITED ? "unlimited" : resource.unit.print(amount);
    }

    @Override
    public String text(Scope scope) {
        return "limit:" + resource.word() + "=" + printAmount();
    }
}
