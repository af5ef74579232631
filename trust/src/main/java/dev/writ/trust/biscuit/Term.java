// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What facts and rules speak of. Its text is Datalog.
public sealed interface Term {
    /// What it costs to compare it, in steps.
    int weight();

    /// The word that `.type()` gives.
    String type();

    /// Stands for any term.
    record Variable(String name) implements Term {
        @Override
        public int weight() {
            return 1;
        }

        @Override
        public String type() {
            return "variable";
        }

        @Override
        public String toString() {
            return "$" + name;
        }
    }

    record Int(long value) implements Term {
        @Override
        public int weight() {
            return 1;
        }

        @Override
        public String type() {
            return "integer";
        }

        @Override
        public String toString() {
            return Long.toString(value);
        }
    }

    record Text(String value) implements Term {
        @Override
        public int weight() {
            return 1 + value.length() / 64;
        }

        @Override
        public String type() {
            return "string";
        }

        @Override
        public String toString() {
            return '"'
                    + value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n")
                    + '"';
        }
    }

    /// @param seconds since 1970, without a sign
    record Date(long seconds) implements Term {
        @Override
        public int weight() {
            return 1;
        }

        @Override
        public String type() {
            return "date";
        }

        @Override
        public String toString() {
            try {
                return seconds < 0 ? "<invalid date>" : Instant.ofEpochSecond(seconds).toString();
            } catch (DateTimeException e) {
                return "<invalid date>";
            }
        }
    }

    record Bytes(byte[] value) implements Term {
        public Bytes {
            value = value.clone();
        }

        @Override
        public byte[] value() {
            return value.clone();
        }

        @Override
        public int weight() {
            return 1 + value.length / 64;
        }

        @Override
        public String type() {
            return "bytes";
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Bytes b && Arrays.equals(value, b.value);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(value);
        }

        @Override
        public String toString() {
            return "hex:" + HexFormat.of().formatHex(value);
        }
    }

    record Bool(boolean value) implements Term {
        static final Bool TRUE = new Bool(true);
        static final Bool FALSE = new Bool(false);

        static Bool of(boolean value) {
            return value ? TRUE : FALSE;
        }

        @Override
        public int weight() {
            return 1;
        }

        @Override
        public String type() {
            return "bool";
        }

        @Override
        public String toString() {
            return Boolean.toString(value);
        }
    }

    record Null() implements Term {
        @Override
        public int weight() {
            return 1;
        }

        @Override
        public String type() {
            return "null";
        }

        @Override
        public String toString() {
            return "null";
        }
    }

    /// What several terms make, with its weight and hash ready: they are asked for often, and a
    /// stranger decides how large it is.
    abstract sealed class Compound implements Term {
        private final int weight;
        private final int hash;

        private Compound(Collection<Term> parts, int hash) {
            int sum = 1;
            for (var part : parts) {
                sum += part.weight();
            }
            this.weight = sum;
            this.hash = hash;
        }

        abstract Object parts();

        abstract int size();

        @Override
        public int weight() {
            return weight;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other
                    || (other instanceof Compound c
                            && getClass() == c.getClass()
                            && hash == c.hash
                            && parts().equals(c.parts()));
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }

    /// One that has elements.
    abstract sealed class Sequence extends Compound permits Set, Array {
        private final List<Term> elements;

        private Sequence(String type, List<Term> elements) {
            super(elements, Objects.hash(type, elements));
            this.elements = List.copyOf(elements);
        }

        public List<Term> elements() {
            return elements;
        }

        @Override
        Object parts() {
            return elements;
        }

        @Override
        int size() {
            return elements.size();
        }
    }

    /// Each element once, in order.
    final class Set extends Sequence {
        public Set(Collection<Term> elements) {
            super("set", sorted(elements));
        }

        private static List<Term> sorted(Collection<Term> elements) {
            var sorted = new TreeSet<Term>(ORDER);
            sorted.addAll(elements);
            return List.copyOf(sorted);
        }

        @Override
        public String type() {
            return "set";
        }

        @Override
        public String toString() {
            return elements().isEmpty() ? "{,}" : "{" + join(elements()) + "}";
        }
    }

    final class Array extends Sequence {
        public Array(List<Term> elements) {
            super("array", elements);
        }

        @Override
        public String type() {
            return "array";
        }

        @Override
        public String toString() {
            return "[" + join(elements()) + "]";
        }
    }

    /// From numbers and texts to terms.
    final class Dictionary extends Compound {
        private final TreeMap<Term, Term> entries;

        public Dictionary(Map<Term, Term> entries) {
            super(both(entries), entries.hashCode());
            this.entries = new TreeMap<>(ORDER);
            this.entries.putAll(entries);
        }

        private static List<Term> both(Map<Term, Term> entries) {
            var all = new ArrayList<>(entries.keySet());
            all.addAll(entries.values());
            return all;
        }

        public Map<Term, Term> entries() {
            return java.util.Collections.unmodifiableMap(entries);
        }

        @Override
        Object parts() {
            return entries;
        }

        @Override
        int size() {
            return entries.size();
        }

        @Override
        public String type() {
            return "map";
        }

        @Override
        public String toString() {
            return entries.entrySet().stream()
                    .map(e -> e.getKey() + ": " + e.getValue())
                    .collect(Collectors.joining(", ", "{", "}"));
        }
    }

    /// Some order of all terms, the natural one within a type.
    Comparator<Term> ORDER = Terms::compare;

    private static String join(List<Term> terms) {
        return terms.stream().map(Term::toString).collect(Collectors.joining(", "));
    }
}
