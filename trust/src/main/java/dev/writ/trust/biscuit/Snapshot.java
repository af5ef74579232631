// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// An evaluation as a file: who said what, what followed from it, and what was asked.
final class Snapshot {
    private final Symbols symbols = new Symbols();
    private final BlockWriter writer = new BlockWriter(symbols);

    private Snapshot() {}

    static byte[] write(Authorizer authorizer, List<VerifiedBiscuit.Said> blocks, World world) {
        return new Snapshot().snapshot(authorizer, blocks, world);
    }

    private byte[] snapshot(Authorizer authorizer, List<VerifiedBiscuit.Said> blocks, World world) {
        var body = new ProtoWriter();
        body.each(4, blocks, this::said);
        body.message(5, w -> block(w, authorizer.own()));
        body.each(6, authorizer.policies(), this::policy);
        body.each(7, generated(world).entrySet(), this::facts);
        body.varint(8, world.rounds());
        var whole = new ProtoWriter().varint(1, Version.NEWEST);
        symbols.stringsFrom(0).forEach(s -> whole.text(2, s));
        symbols.keysFrom(0).forEach(k -> whole.message(3, k::write));
        var limits = authorizer.limits();
        // Time is not what we count, but the format wants it: as much as steps may take at most.
        return new ProtoWriter()
                .message(
                        1,
                        w ->
                                w.varint(1, limits.facts())
                                        .varint(2, limits.rounds())
                                        .varint(3, limits.steps() * 1_000L))
                .varint(2, 0)
                .bytes(3, whole.append(body).done())
                .done();
    }

    private void said(ProtoWriter out, VerifiedBiscuit.Said said) {
        block(out, said.block());
        said.giver().ifPresent(key -> out.message(7, key::write));
    }

    private void block(ProtoWriter out, Block block) {
        if (block.context() != null) {
            out.text(1, block.context());
        }
        out.varint(2, Version.NEWEST);
        writer.statements(out, 3, block);
        out.each(6, block.scopes(), writer::scope);
    }

    private void policy(ProtoWriter out, LogicPolicy policy) {
        out.each(1, policy.queries(), writer::rule).varint(2, policy.allows() ? 0 : 1);
    }

    private static Map<Long, List<Predicate>> generated(World world) {
        var byOrigin = new LinkedHashMap<Long, List<Predicate>>();
        for (var fact : world.facts()) {
            byOrigin.computeIfAbsent(fact.origin(), _ -> new ArrayList<>()).add(fact.fact());
        }
        return byOrigin;
    }

    private void facts(ProtoWriter out, Map.Entry<Long, List<Predicate>> facts) {
        for (int block = 0; block <= World.AUTHORIZER; block++) {
            if ((facts.getKey() & World.bit(block)) != 0) {
                int number = block;
                out.message(
                        1,
                        w -> {
                            if (number == World.AUTHORIZER) {
                                w.message(1, _ -> {});
                            } else {
                                w.varint(2, number);
                            }
                        });
            }
        }
        out.each(2, facts.getValue(), writer::fact);
    }
}
