// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A token as somebody handed it over: of the right form, and nothing of it is believed. See
/// [#verify].
///
/// @param rootKeyId a hint which key signed it
/// @param proof a secret if it can be added to, a signature if it is sealed
public record Biscuit(
        @Nullable Integer rootKeyId, List<SignedBlock> blocks, boolean sealed, byte[] proof) {
    /// Longer ones are refused, before anything is looked at.
    public static final int LONGEST = 32_768;

    /// What the signatures of a token may cost to check, in those of Ed25519. Enough to give it on
    /// fifteen times.
    private static final int MOST_SIGNATURES = 32;

    private static final int P256_COSTS = 4;

    public Biscuit {
        blocks = List.copyOf(blocks);
    }

    /// @throws BiscuitException if the bytes are no token, or a costly one
    public static Biscuit parse(byte[] bytes) {
        if (bytes.length > LONGEST) {
            throw new BiscuitException("longer than " + LONGEST + " bytes");
        }
        var in = new ProtoReader(bytes);
        Integer rootKeyId = null;
        SignedBlock authority = null;
        var later = new ArrayList<SignedBlock>();
        ProtoReader proof = null;
        int cost = 1;
        for (int field = in.next(); field != 0; field = in.next()) {
            switch (field) {
                case 1 -> rootKeyId = in.once().uint32();
                case 2 -> authority = SignedBlock.read(in.once().message());
                case 3 -> {
                    later.add(SignedBlock.read(in.message()));
                    cost += cost(later.getLast());
                    refuseCostly(cost); // before the keys of more blocks are looked at
                }
                case 4 -> proof = in.once().message();
                default -> throw in.unknown();
            }
        }
        if (authority == null || proof == null || authority.external() != null) {
            throw new BiscuitException("not a token: a first block, more blocks and a proof");
        }
        later.addFirst(authority);
        int kind = proof.next();
        if (kind != 1 && kind != 2) {
            throw new BiscuitException("there is no proof in it");
        }
        byte[] proven = proof.once().bytes();
        if (proof.next() != 0) {
            throw proof.unknown();
        }
        refuseCostly(cost + cost(authority));
        return new Biscuit(rootKeyId, later, kind == 2, proven);
    }

    private static void refuseCostly(int cost) {
        if (cost > MOST_SIGNATURES) {
            throw new BiscuitException("more signatures than are checked of one token");
        }
    }

    private static int cost(SignedBlock block) {
        var external = block.external();
        return cost(block.nextKey()) + (external == null ? 0 : cost(external.key()));
    }

    private static int cost(PublicKey key) {
        return key.algorithm() == PublicKey.Algorithm.ED25519 ? 1 : P256_COSTS;
    }

    public byte[] bytes() {
        var out = new ProtoWriter();
        if (rootKeyId != null) {
            out.varint(1, Integer.toUnsignedLong(rootKeyId));
        }
        out.message(2, blocks.getFirst()::write);
        blocks.stream().skip(1).forEach(b -> out.message(3, b::write));
        return out.message(4, w -> w.bytes(sealed ? 2 : 1, proof)).done();
    }

    /// Whether the proof fits the last block.
    boolean isProven() {
        var last = blocks.getLast();
        return sealed
                ? last.nextKey().verifies(last.seal(), proof)
                : last.nextKey().belongsTo(proof);
    }

    /// Checks the signatures and reads the blocks.
    ///
    /// @throws BiscuitException if it was not signed by `root`, or says what nobody may say
    public VerifiedBiscuit verify(PublicKey root) {
        return VerifiedBiscuit.of(this, root, 0);
    }

    /// The same for a token whose first `known` blocks were verified before, with the same root.
    public VerifiedBiscuit verify(PublicKey root, int known) {
        return VerifiedBiscuit.of(this, root, known);
    }

    /// What the blocks say, whoever wrote it.
    ///
    /// @throws BiscuitException if a block cannot be read
    public List<Block> unverifiedBlocks() {
        var symbols = new Symbols();
        var read = new ArrayList<Block>();
        for (int i = 0; i < blocks.size(); i++) {
            var block = blocks.get(i);
            boolean foreign = block.external() != null;
            try {
                read.add(
                        BlockReader.read(
                                block.payload(), foreign ? new Symbols() : symbols, foreign));
            } catch (BiscuitException e) {
                throw new BiscuitException("block " + i + ": " + e.getMessage());
            }
        }
        return read;
    }

    /// A new token.
    public static Biscuit mint(Block authority, Signer root) {
        byte[] payload = BlockWriter.write(authority, new Symbols(), false);
        var next = KeyPair.make();
        byte[] signature = root.sign(SignedBlock.signed(payload, next.key(), null, null, 1));
        var block = new SignedBlock(payload, next.key(), signature, null, 1);
        return new Biscuit(null, List.of(block), false, next.secret());
    }

    /// The token with one more block, which its holder vouches for.
    public Biscuit append(Block block) {
        var symbols = new Symbols();
        for (var each : blocks) {
            if (each.external() == null) {
                BlockReader.read(each.payload(), symbols, false);
            }
        }
        return append(BlockWriter.write(block, symbols, false), null);
    }

    /// The token with one more block, which `giver` vouches for.
    public Biscuit append(Block block, Signer giver) {
        byte[] payload = BlockWriter.write(block, new Symbols(), true);
        byte[] outside = SignedBlock.signedOutside(payload, blocks.getLast().signature());
        return append(payload, new SignedBlock.External(giver.key(), giver.sign(outside)));
    }

    private Biscuit append(byte[] payload, SignedBlock.@Nullable External external) {
        var signer = signer();
        var next = KeyPair.make();
        byte[] before = blocks.getLast().signature();
        byte[] signature =
                signer.sign(SignedBlock.signed(payload, next.key(), before, external, 1));
        var more = new ArrayList<>(blocks);
        more.add(new SignedBlock(payload, next.key(), signature, external, 1));
        return new Biscuit(rootKeyId, more, false, next.secret());
    }

    /// The token as it is, for good.
    public Biscuit seal() {
        return new Biscuit(rootKeyId, blocks, true, signer().sign(blocks.getLast().seal()));
    }

    private KeyPair signer() {
        var key = blocks.getLast().nextKey();
        if (sealed) {
            throw new BiscuitException("the token is sealed: nothing can be added");
        }
        if (key.algorithm() != PublicKey.Algorithm.ED25519 || !key.belongsTo(proof)) {
            throw new BiscuitException("the secret in the token does not fit its last block");
        }
        return new KeyPair(proof, key);
    }
}
