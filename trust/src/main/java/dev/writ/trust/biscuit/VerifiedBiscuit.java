// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/// A token whose signatures are good. What its blocks say is what their signers said.
public final class VerifiedBiscuit {
    /// A block and who vouches for it.
    ///
    /// @param giver who signed it besides the holder
    /// @param id SHA-256 of what was signed
    /// @param revocationId as other implementations have it: the signature
    public record Said(Block block, Optional<PublicKey> giver, String id, String revocationId) {}

    private final Biscuit token;
    private final List<Said> blocks;

    private VerifiedBiscuit(Biscuit token, List<Said> blocks) {
        this.token = token;
        this.blocks = List.copyOf(blocks);
    }

    static VerifiedBiscuit of(Biscuit token, PublicKey root, int known) {
        var signatures = new Signatures();
        var key = root;
        byte[] before = null;
        var ids = new ArrayList<String>();
        for (int i = 0; i < token.blocks().size(); i++) {
            var block = token.blocks().get(i);
            byte[] signed = block.signed(before);
            if (i >= known) {
                block.verify(signatures, i, key, signed, before);
            }
            ids.add(SignedBlock.id(signed));
            key = block.nextKey();
            before = block.signature();
        }
        signatures.add(token::isProven, "the proof at its end does not fit its last block");
        signatures.verify();
        var read = token.unverifiedBlocks();
        var said = new ArrayList<Said>();
        for (int i = 0; i < read.size(); i++) {
            var block = token.blocks().get(i);
            said.add(
                    new Said(
                            read.get(i),
                            Optional.ofNullable(block.external()).map(SignedBlock.External::key),
                            ids.get(i),
                            HexFormat.of().formatHex(block.signature())));
        }
        return new VerifiedBiscuit(token, said);
    }

    public Biscuit token() {
        return token;
    }

    public List<Said> blocks() {
        return blocks;
    }
}
