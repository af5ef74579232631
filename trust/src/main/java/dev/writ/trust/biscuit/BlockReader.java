// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import dev.writ.trust.biscuit.Expression.Binary;
import dev.writ.trust.biscuit.Expression.Closure;
import dev.writ.trust.biscuit.Expression.Op;
import dev.writ.trust.biscuit.Expression.Unary;
import dev.writ.trust.biscuit.Expression.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/// Reads what a block says. The tables may stand behind what refers to them, so the bytes are gone
/// through twice.
final class BlockReader {
    /// Of one block, besides those that signed: each has to be looked at.
    private static final int MOST_KEYS = 8;

    private final Symbols symbols;
    private final TermReader terms;

    BlockReader(Symbols symbols) {
        this.symbols = symbols;
        this.terms = new TermReader(symbols);
    }

    /// @param symbols those of the token so far, which get those of the block added
    /// @param foreign whether somebody else signed the block
    static Block read(byte[] bytes, Symbols symbols, boolean foreign) {
        addTables(new ProtoReader(bytes), symbols);
        return new BlockReader(symbols).block(new ProtoReader(bytes), foreign);
    }

    private static void addTables(ProtoReader in, Symbols symbols) {
        var strings = new ArrayList<String>();
        var keys = new ArrayList<PublicKey>();
        for (int field = in.next(); field != 0; field = in.next()) {
            switch (field) {
                case 1 -> strings.add(in.text());
                case 8 -> {
                    if (keys.size() == MOST_KEYS) {
                        throw new BiscuitException("more than " + MOST_KEYS + " keys in a table");
                    }
                    keys.add(PublicKey.read(in.message()));
                }
                case 2 -> in.text();
                case 3 -> in.varint();
                default -> in.bytes();
            }
        }
        symbols.add(strings, keys);
    }

    private Block block(ProtoReader in, boolean foreign) {
        var facts = new ArrayList<Predicate>();
        var rules = new ArrayList<Rule>();
        var checks = new ArrayList<Check>();
        var scopes = new ArrayList<Scope>();
        String context = null;
        int version = 0;
        boolean kinds = false;
        for (int field = in.next(); field != 0; field = in.next()) {
            switch (field) {
                case 1 -> in.text();
                case 2 -> context = in.once().text();
                case 3 -> version = in.once().uint32();
                case 4 -> facts.add(fact(in.message()));
                case 5 -> rules.add(rule(in.message()));
                case 6 -> {
                    var check = check(in.message());
                    checks.add(check.check());
                    kinds |= check.saysKind();
                }
                case 7 -> scopes.add(scope(in.message()));
                case 8 -> in.bytes();
                default -> throw in.unknown();
            }
        }
        var block = new Block(facts, rules, checks, scopes, context);
        refuseVersion(block, version, foreign, kinds);
        return block;
    }

    private static void refuseVersion(Block block, int version, boolean foreign, boolean kinds) {
        if (version < Version.OLDEST || version > Version.NEWEST) {
            throw new BiscuitException(
                    "blocks of version " + Integer.toUnsignedString(version) + " are not known");
        }
        int needed = Version.needed(block);
        if (kinds) {
            needed = Math.max(needed, Version.V3_1);
        }
        if (foreign) {
            needed = Math.max(needed, Version.THIRD_PARTY);
        }
        if (version < needed) {
            throw new BiscuitException(
                    "a block of version " + version + " says what only version " + needed + " can");
        }
    }

    Predicate fact(ProtoReader in) {
        var fact = only(in, this::predicate);
        if (!fact.isFact()) {
            throw new BiscuitException("a fact with a variable: " + fact);
        }
        return fact;
    }

    /// A message with just one field, number 1.
    private static <T> T only(ProtoReader in, Function<ProtoReader, T> read) {
        T found = null;
        for (int field = in.next(); field != 0; field = in.next()) {
            if (field != 1) {
                throw in.unknown();
            }
            found = read.apply(in.once().message());
        }
        if (found == null) {
            throw new BiscuitException("a message is empty");
        }
        return found;
    }

    Predicate predicate(ProtoReader in) {
        String name = "";
        var found = new ArrayList<Term>();
        for (int field = in.next(); field != 0; field = in.next()) {
            switch (field) {
                case 1 -> name = symbols.string(in.once().varint());
                case 2 -> found.add(terms.read(in.message()));
                default -> throw in.unknown();
            }
        }
        in.require(1);
        return new Predicate(name, found);
    }

    Rule rule(ProtoReader in) {
        Predicate head = null;
        var body = new ArrayList<Predicate>();
        var expressions = new ArrayList<Expression>();
        var scopes = new ArrayList<Scope>();
        for (int field = in.next(); field != 0; field = in.next()) {
            switch (field) {
                case 1 -> head = predicate(in.once().message());
                case 2 -> body.add(predicate(in.message()));
                case 3 -> expressions.add(expression(in.message()));
                case 4 -> scopes.add(scope(in.message()));
                default -> throw in.unknown();
            }
        }
        if (head == null) {
            throw new BiscuitException("a rule without a head");
        }
        return new Rule(head, body, expressions, scopes);
    }

    record ReadCheck(Check check, boolean saysKind) {}

    ReadCheck check(ProtoReader in) {
        var queries = new ArrayList<Rule>();
        int kind = -1;
        for (int field = in.next(); field != 0; field = in.next()) {
            switch (field) {
                case 1 -> queries.add(rule(in.message()));
                case 2 -> kind = in.once().uint32();
                default -> throw in.unknown();
            }
        }
        var known = Check.Kind.NUMBERED;
        if (kind < -1 || kind >= known.size()) {
            throw new BiscuitException("no such kind of check: " + Integer.toUnsignedString(kind));
        }
        return new ReadCheck(new Check(known.get(Math.max(kind, 0)), queries), kind >= 0);
    }

    Scope scope(ProtoReader in) {
        Scope found = null;
        for (int field = in.next(); field != 0; field = in.next()) {
            found =
                    switch (field) {
                        case 1 ->
                                switch (in.alone().uint32()) {
                                    case 0 -> new Scope.Authority();
                                    case 1 -> new Scope.Previous();
                                    default -> throw new BiscuitException("no such scope");
                                };
                        case 2 -> new Scope.Key(symbols.key(in.alone().varint()));
                        default -> throw in.unknown();
                    };
        }
        if (found == null) {
            throw new BiscuitException("a scope is empty");
        }
        return found;
    }

    private Expression expression(ProtoReader in) {
        var ops = new ArrayList<Op>();
        for (int field = in.next(); field != 0; field = in.next()) {
            if (field != 1) {
                throw in.unknown();
            }
            ops.add(op(in.message()));
        }
        return new Expression(ops);
    }

    private Op op(ProtoReader in) {
        Op found = null;
        for (int field = in.next(); field != 0; field = in.next()) {
            found =
                    switch (field) {
                        case 1 -> new Value(terms.read(in.alone().message()));
                        case 2 -> kind(in.alone().message(), Unary.NUMBERED);
                        case 3 -> kind(in.alone().message(), Binary.NUMBERED);
                        case 4 -> closure(in.alone().message());
                        default -> throw in.unknown();
                    };
        }
        if (found == null) {
            throw new BiscuitException("an operation is empty");
        }
        return found;
    }

    private static Op kind(ProtoReader in, List<? extends Op> known) {
        int kind = -1;
        for (int field = in.next(); field != 0; field = in.next()) {
            kind =
                    switch (field) {
                        case 1 -> in.once().uint32();
                        case 2 -> throw foreign();
                        default -> throw in.unknown();
                    };
        }
        in.require(1);
        if (kind < 0 || kind >= known.size()) {
            throw new BiscuitException("no such operation: " + Integer.toUnsignedString(kind));
        }
        if (known.get(kind) == Binary.FOREIGN) {
            throw foreign();
        }
        return known.get(kind);
    }

    private static BiscuitException foreign() {
        return new BiscuitException("it calls a function of the host, and there are none here");
    }

    private Closure closure(ProtoReader in) {
        List<String> parameters = new ArrayList<>();
        List<Op> ops = new ArrayList<>();
        for (int field = in.next(); field != 0; field = in.next()) {
            switch (field) {
                case 1 -> parameters.add(symbols.string(in.uint32()));
                case 2 -> ops.add(op(in.message()));
                default -> throw in.unknown();
            }
        }
        return new Closure(parameters, ops);
    }
}
