// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Reads an evaluation that somebody wrote down. Nobody signed it, so nothing is taken from it but
/// what was said: what follows from that is found out anew.
final class SnapshotReader {
    private static final int LONGEST = 262_144;
    private static final int MOST_BLOCKS = 32;
    private static final int MOST_KEYS = 64;

    private final Symbols symbols = new Symbols();
    private final BlockReader reader = new BlockReader(symbols);
    private final List<VerifiedBiscuit.Said> blocks = new ArrayList<>();
    private final List<LogicPolicy> policies = new ArrayList<>();

    private SnapshotReader() {}

    /// @param most what it may cost; the snapshot can only ask for less
    /// @throws BiscuitException if the bytes are no snapshot
    static Evaluation evaluate(byte[] bytes, Limits most) {
        if (bytes.length > LONGEST) {
            throw new BiscuitException("longer than " + LONGEST + " bytes");
        }
        return new SnapshotReader().snapshot(new ProtoReader(bytes), most);
    }

    private Evaluation snapshot(ProtoReader in, Limits most) {
        var limits = most;
        byte[] world = {};
        for (int field = in.next(); field != 0; field = in.next()) {
            switch (field) {
                case 1 -> limits = limits(in.once().message(), most);
                case 2 -> in.once().varint(); // how long it took
                case 3 -> world = in.once().bytes();
                default -> throw in.unknown();
            }
        }
        in.require(1, 2, 3);
        addTables(new ProtoReader(world));
        var own = world(new ProtoReader(world));
        return new Authorizer(own, policies, limits).evaluate(blocks);
    }

    private static Limits limits(ProtoReader in, Limits most) {
        int facts = most.facts();
        int rounds = most.rounds();
        for (int field = in.next(); field != 0; field = in.next()) {
            switch (field) {
                case 1 -> facts = less(in.once().varint(), facts);
                case 2 -> rounds = less(in.once().varint(), rounds);
                case 3 -> in.once().varint(); // time, which is not what we count
                default -> throw in.unknown();
            }
        }
        in.require(1, 2, 3);
        return new Limits(facts, rounds, most.steps());
    }

    private static int less(long asked, int most) {
        return Long.compareUnsigned(asked, most) < 0 ? (int) asked : most;
    }

    private void addTables(ProtoReader in) {
        var strings = new ArrayList<String>();
        var keys = new ArrayList<PublicKey>();
        for (int field = in.next(); field != 0; field = in.next()) {
            switch (field) {
                case 1, 8 -> in.varint();
                case 2 -> strings.add(in.text());
                case 3 -> {
                    if (keys.size() == MOST_KEYS) {
                        throw new BiscuitException("more than " + MOST_KEYS + " keys");
                    }
                    keys.add(PublicKey.read(in.message()));
                }
                default -> in.bytes();
            }
        }
        symbols.add(strings, keys);
    }

    /// What the authorizer itself said.
    private Block world(ProtoReader in) {
        Block own = null;
        var origins = new ArrayList<Integer>();
        for (int field = in.next(); field != 0; field = in.next()) {
            switch (field) {
                case 1 -> refuseVersion(in.once().uint32());
                case 2, 3 -> in.bytes();
                case 4 -> blocks.add(said(in.message()));
                case 5 -> own = said(in.once().message()).block();
                case 6 -> policies.add(policy(in.message()));
                case 7 -> generated(in.message(), origins);
                case 8 -> in.once().varint();
                default -> throw in.unknown();
            }
            if (blocks.size() > MOST_BLOCKS) {
                throw new BiscuitException("more than " + MOST_BLOCKS + " blocks");
            }
        }
        in.require(5, 8);
        if (own == null || origins.stream().anyMatch(o -> o < 0 || o >= blocks.size())) {
            throw new BiscuitException("a fact of a block that is not there");
        }
        return own;
    }

    private VerifiedBiscuit.Said said(ProtoReader in) {
        var facts = new ArrayList<Predicate>();
        var rules = new ArrayList<Rule>();
        var checks = new ArrayList<Check>();
        var scopes = new ArrayList<Scope>();
        String context = null;
        PublicKey giver = null;
        for (int field = in.next(); field != 0; field = in.next()) {
            switch (field) {
                case 1 -> context = in.once().text();
                case 2 -> refuseVersion(in.once().uint32());
                case 3 -> facts.add(reader.fact(in.message()));
                case 4 -> rules.add(reader.rule(in.message()));
                case 5 -> checks.add(reader.check(in.message()).check());
                case 6 -> scopes.add(reader.scope(in.message()));
                case 7 -> giver = PublicKey.read(in.once().message());
                default -> throw in.unknown();
            }
        }
        // There are no signatures in a snapshot, so there is nothing to know a block by.
        var block = new Block(facts, rules, checks, scopes, context);
        return new VerifiedBiscuit.Said(block, Optional.ofNullable(giver), "", "");
    }

    private static void refuseVersion(int version) {
        if (version < Version.OLDEST || version > Version.NEWEST) {
            throw new BiscuitException(
                    "snapshots of version " + Integer.toUnsignedString(version) + " are not known");
        }
    }

    private LogicPolicy policy(ProtoReader in) {
        var queries = new ArrayList<Rule>();
        int kind = -1;
        for (int field = in.next(); field != 0; field = in.next()) {
            switch (field) {
                case 1 -> queries.add(reader.rule(in.message()));
                case 2 -> kind = in.once().uint32();
                default -> throw in.unknown();
            }
        }
        if (kind != 0 && kind != 1) {
            throw new BiscuitException("a policy that neither allows nor denies");
        }
        return new LogicPolicy(kind == 0, queries);
    }

    /// What followed then: looked at for its form, and not believed.
    private void generated(ProtoReader in, List<Integer> origins) {
        for (int field = in.next(); field != 0; field = in.next()) {
            switch (field) {
                case 1 -> origin(in.message(), origins);
                case 2 -> reader.fact(in.message());
                default -> throw in.unknown();
            }
        }
    }

    private static void origin(ProtoReader in, List<Integer> origins) {
        switch (in.next()) {
            case 1 -> {
                if (in.alone().message().next() != 0) {
                    throw in.unknown();
                }
            }
            case 2 -> origins.add(in.alone().uint32());
            default -> throw in.unknown();
        }
        if (in.next() != 0) {
            throw in.unknown();
        }
    }
}
