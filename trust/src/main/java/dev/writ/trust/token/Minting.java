// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.token;

import dev.writ.trust.biscuit.Biscuit;
import dev.writ.trust.biscuit.BiscuitException;
import dev.writ.trust.biscuit.Signer;

/// Makes new tokens: only who has the root key can.
public final class Minting {
    private Minting() {}

    /// @throws TokenException if nobody would take such a token
    public static Token mint(Grant grant, Signer root) {
        return Token.of(Biscuit.mint(Narrowing.sound(grant, true), root));
    }

    static TokenException refused(BiscuitException e) {
        return new TokenException("no such token can be made: " + e.getMessage());
    }
}
