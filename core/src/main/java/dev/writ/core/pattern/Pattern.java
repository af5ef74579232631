// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.pattern;

import java.util.ArrayList;
import java.util.List;

/// A set of words: literal segments, single segments by glob, and runs of any length.
public record Pattern(List<Item> items) {
    /// Closes a part of a word that may have any length. No wildcard stands for it.
    public static final String END = "\0";

    /// One step of a pattern.
    public sealed interface Item {
        /// Exactly this segment.
        record Literal(String segment) implements Item {}

        /// One segment that looks like `glob`.
        record One(Glob glob, Domain domain) implements Item {}

        /// Any number of segments, none included.
        record Many(Domain domain) implements Item {}
    }

    public Pattern {
        items = List.copyOf(items);
    }

    /// Whether wildcards pass this segment by: it names something that must be named exactly.
    static boolean isReserved(String segment) {
        return !segment.isEmpty() && segment.charAt(0) == '\0';
    }

    /// How many items, from the first, are literal.
    public int literalLength() {
        int n = 0;
        while (n < items.size() && items.get(n) instanceof Item.Literal) {
            n++;
        }
        return n;
    }

    /// Whether this is one name and what lies below it.
    public boolean isExact() {
        int n = literalLength();
        return n == items.size() || (n == items.size() - 1 && items.get(n) instanceof Item.Many);
    }

    /// How many segments of `word` fit before the pattern fails; `word.size() + 1` if all of it
    /// does.
    public int progress(List<String> word) {
        var tree = new PatternTree();
        tree.add(this, PatternTree.Role.ALLOW, 0);
        var walk = tree.walk();
        for (int i = 0; i < word.size(); i++) {
            walk.accept(word.get(i));
            if (walk.isStuck()) {
                return i;
            }
        }
        return walk.rule(PatternTree.Role.ALLOW) == PatternTree.NONE
                ? word.size()
                : word.size() + 1;
    }

    /// Collects items, joining neighbouring runs, which mean no more than one.
    public static final class Builder {
        private final List<Item> items = new ArrayList<>();

        public Builder() {}

        public Builder literal(String segment) {
            items.add(new Item.Literal(segment));
            return this;
        }

        public Builder literals(List<String> segments) {
            segments.forEach(this::literal);
            return this;
        }

        public Builder one(Glob glob, Domain domain) {
            items.add(glob.hasStar() ? new Item.One(glob, domain) : new Item.Literal(glob.head()));
            return this;
        }

        public Builder any(Domain domain) {
            return one(Glob.ANY, domain);
        }

        public Builder many(Domain domain) {
            if (items.isEmpty()
                    || !(items.getLast() instanceof Item.Many(var last) && last == domain)) {
                items.add(new Item.Many(domain));
            }
            return this;
        }

        public Builder items(List<Item> more) {
            for (var item : more) {
                if (item instanceof Item.Many(var domain)) {
                    many(domain);
                } else {
                    items.add(item);
                }
            }
            return this;
        }

        public Builder end() {
            return literal(END);
        }

        public Pattern build() {
            return new Pattern(items);
        }
    }

    public static Builder of(String first) {
        return new Builder().literal(first);
    }
}
