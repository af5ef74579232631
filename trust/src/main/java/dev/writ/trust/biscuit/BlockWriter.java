// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import dev.writ.trust.biscuit.Expression.Binary;
import dev.writ.trust.biscuit.Expression.Closure;
import dev.writ.trust.biscuit.Expression.Op;
import dev.writ.trust.biscuit.Expression.Unary;
import dev.writ.trust.biscuit.Expression.Value;
import java.util.List;
import java.util.Map;

/// Writes what a block says.
final class BlockWriter {
    private final Symbols symbols;

    BlockWriter(Symbols symbols) {
        this.symbols = symbols;
    }

    /// @param symbols those of the token so far
    /// @param foreign whether somebody else signs the block
    static byte[] write(Block block, Symbols symbols, boolean foreign) {
        int strings = symbols.size();
        int keys = symbols.keyCount();
        var writer = new BlockWriter(symbols);
        var said = new ProtoWriter();
        int version = Version.written(block);
        writer.statements(said, 4, block);
        said.each(7, block.scopes(), writer::scope);
        var out = new ProtoWriter();
        symbols.stringsFrom(strings).forEach(s -> out.text(1, s));
        if (block.context() != null) {
            out.text(2, block.context());
        }
        out.varint(3, foreign ? Math.max(version, Version.THIRD_PARTY) : version);
        out.append(said);
        symbols.keysFrom(keys).forEach(k -> out.message(8, k::write));
        return out.done();
    }

    /// Facts, rules and checks in three fields from `first` on.
    void statements(ProtoWriter out, int first, Block block) {
        out.each(first, block.facts(), this::fact);
        out.each(first + 1, block.rules(), this::rule);
        out.each(first + 2, block.checks(), this::check);
    }

    void fact(ProtoWriter out, Predicate fact) {
        out.message(1, w -> predicate(w, fact));
    }

    private void predicate(ProtoWriter out, Predicate predicate) {
        out.varint(1, symbols.number(predicate.name())).each(2, predicate.terms(), this::term);
    }

    void rule(ProtoWriter out, Rule rule) {
        out.message(1, w -> predicate(w, rule.head()))
                .each(2, rule.body(), this::predicate)
                .each(3, rule.expressions(), (w, e) -> w.each(1, e.ops(), this::op))
                .each(4, rule.scopes(), this::scope);
    }

    private void check(ProtoWriter out, Check check) {
        out.each(1, check.queries(), this::rule);
        if (check.kind() != Check.Kind.IF) {
            out.varint(2, Check.Kind.NUMBERED.indexOf(check.kind()));
        }
    }

    void scope(ProtoWriter out, Scope scope) {
        switch (scope) {
            case Scope.Authority _ -> out.varint(1, 0);
            case Scope.Previous _ -> out.varint(1, 1);
            case Scope.Key(var key) -> out.varint(2, symbols.number(key));
        }
    }

    private void op(ProtoWriter out, Op op) {
        switch (op) {
            case Value(var term) -> out.message(1, w -> term(w, term));
            case Unary unary -> out.message(2, w -> w.varint(1, Unary.NUMBERED.indexOf(unary)));
            case Binary binary -> out.message(3, w -> w.varint(1, Binary.NUMBERED.indexOf(binary)));
            case Closure(var parameters, var ops) ->
                    out.message(4, w -> closure(w, parameters, ops));
        }
    }

    private void closure(ProtoWriter out, List<String> parameters, List<Op> ops) {
        parameters.forEach(p -> out.varint(1, symbols.number(p)));
        out.each(2, ops, this::op);
    }

    private void term(ProtoWriter out, Term term) {
        switch (term) {
            case Term.Variable(var name) -> out.varint(1, symbols.number(name));
            case Term.Int(var value) -> out.varint(2, value);
            case Term.Text(var value) -> out.varint(3, symbols.number(value));
            case Term.Date(var seconds) -> out.varint(4, seconds);
            case Term.Bytes bytes -> out.bytes(5, bytes.value());
            case Term.Bool(var value) -> out.varint(6, value ? 1 : 0);
            case Term.Set set -> out.message(7, w -> w.each(1, set.elements(), this::term));
            case Term.Null _ -> out.message(8, _ -> {});
            case Term.Array array -> out.message(9, w -> w.each(1, array.elements(), this::term));
            case Term.Dictionary map ->
                    out.message(10, w -> w.each(1, map.entries().entrySet(), this::entry));
        }
    }

    private void entry(ProtoWriter out, Map.Entry<Term, Term> entry) {
        out.message(
                        1,
                        w -> {
                            if (entry.getKey() instanceof Term.Int(var value)) {
                                w.varint(1, value);
                            } else if (entry.getKey() instanceof Term.Text(var value)) {
                                w.varint(2, symbols.number(value));
                            }
                        })
                .message(2, w -> term(w, entry.getValue()));
    }
}
