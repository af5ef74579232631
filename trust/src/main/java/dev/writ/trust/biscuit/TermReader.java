// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Reads terms.
final class TermReader {
    private final Symbols symbols;

    TermReader(Symbols symbols) {
        this.symbols = symbols;
    }

    Term read(ProtoReader in) {
        Term found = null;
        for (int field = in.next(); field != 0; field = in.next()) {
            in.alone();
            found =
                    switch (field) {
                        case 1 -> new Term.Variable(symbols.string(in.uint32()));
                        case 2 -> new Term.Int(in.varint());
                        case 3 -> new Term.Text(symbols.string(in.varint()));
                        case 4 -> new Term.Date(in.varint());
                        case 5 -> new Term.Bytes(in.bytes());
                        case 6 -> Term.Bool.of(in.bool());
                        case 7 -> set(list(in.message()));
                        case 8 -> nothing(in.message());
                        case 9 -> new Term.Array(list(in.message()));
                        case 10 -> new Term.Dictionary(map(in.message()));
                        default -> throw in.unknown();
                    };
        }
        if (found == null) {
            throw new BiscuitException("a term is empty");
        }
        return found;
    }

    private static Term nothing(ProtoReader in) {
        if (in.next() != 0) {
            throw in.unknown();
        }
        return new Term.Null();
    }

    private static Term set(List<Term> elements) {
        for (var element : elements) {
            if (element instanceof Term.Variable || element instanceof Term.Set) {
                throw new BiscuitException("a set with a " + element.type() + " in it");
            }
            if (!element.type().equals(elements.getFirst().type())) {
                throw new BiscuitException("a set of more than one type");
            }
        }
        return new Term.Set(elements);
    }

    private List<Term> list(ProtoReader in) {
        var found = new ArrayList<Term>();
        for (int field = in.next(); field != 0; field = in.next()) {
            if (field != 1) {
                throw in.unknown();
            }
            found.add(read(in.message()));
        }
        return found;
    }

    private Map<Term, Term> map(ProtoReader in) {
        var found = new HashMap<Term, Term>();
        for (int field = in.next(); field != 0; field = in.next()) {
            if (field != 1) {
                throw in.unknown();
            }
            var entry = in.message();
            Term key = null;
            Term value = null;
            for (int part = entry.next(); part != 0; part = entry.next()) {
                switch (part) {
                    case 1 -> key = key(entry.once().message());
                    case 2 -> value = read(entry.once().message());
                    default -> throw entry.unknown();
                }
            }
            if (key == null || value == null) {
                throw new BiscuitException("an entry of a map is not whole");
            }
            if (found.put(key, value) != null) {
                throw new BiscuitException("a map has a key twice: " + key);
            }
        }
        return found;
    }

    private Term key(ProtoReader in) {
        Term found = null;
        for (int field = in.next(); field != 0; field = in.next()) {
            in.alone();
            found =
                    switch (field) {
                        case 1 -> new Term.Int(in.varint());
                        case 2 -> new Term.Text(symbols.string(in.varint()));
                        default -> throw in.unknown();
                    };
        }
        if (found == null) {
            throw new BiscuitException("a key of a map is empty");
        }
        return found;
    }
}
