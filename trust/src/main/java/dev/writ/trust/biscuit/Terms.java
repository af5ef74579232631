// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The order of terms.
final class Terms {
    private static final List<String> TYPES =
            List.of(
                    "variable",
                    "integer",
                    "string",
                    "date",
                    "bytes",
                    "bool",
                    "set",
                    "null",
                    "array",
                    "map");

    private Terms() {}

    static int compare(Term one, Term other) {
        return switch (one) {
            case Term.Int(var a) when other instanceof Term.Int(var b) -> Long.compare(a, b);
            case Term.Text(var a) when other instanceof Term.Text(var b) -> a.compareTo(b);
            case Term.Date(var a) when other instanceof Term.Date(var b) ->
                    Long.compareUnsigned(a, b);
            case Term.Bool(var a) when other instanceof Term.Bool(var b) -> Boolean.compare(a, b);
            case Term.Bytes a when other instanceof Term.Bytes b ->
                    Arrays.compareUnsigned(a.value(), b.value());
            case Term.Variable(var a) when other instanceof Term.Variable(var b) -> a.compareTo(b);
            case Term.Set a when other instanceof Term.Set b -> lists(a.elements(), b.elements());
            case Term.Array a when other instanceof Term.Array b ->
                    lists(a.elements(), b.elements());
            case Term.Dictionary a when other instanceof Term.Dictionary b -> {
                int keys =
                        lists(
                                new ArrayList<>(a.entries().keySet()),
                                new ArrayList<>(b.entries().keySet()));
                yield keys != 0
                        ? keys
                        : lists(
                                new ArrayList<>(a.entries().values()),
                                new ArrayList<>(b.entries().values()));
            }
            default -> Integer.compare(TYPES.indexOf(one.type()), TYPES.indexOf(other.type()));
        };
    }

    private static int lists(List<Term> a, List<Term> b) {
        for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
            int compared = compare(a.get(i), b.get(i));
            if (compared != 0) {
                return compared;
            }
        }
        return Integer.compare(a.size(), b.size());
    }
}
