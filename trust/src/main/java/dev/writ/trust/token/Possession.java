// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.token;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.writ.trust.biscuit.PublicKey;
import dev.writ.trust.biscuit.Signer;
import java.io.ByteArrayOutputStream;

/// Shows that whoever hands a token over has the key of its holder: a signature over a nonce of the
/// verifier, the token and the channel. A token that was stolen without the key is useless.
public final class Possession {
    /// Of the verifier's nonce.
    public static final int NONCE_LENGTH = 32;

    private Possession() {}

    public static byte[] prove(Token token, byte[] nonce, byte[] channel, Signer holder) {
        return holder.sign(message(token, nonce, channel));
    }

    /// @param nonce one that was never used before
    /// @param channel what both ends know of their connection
    public static boolean isProven(
            VerifiedToken token, byte[] nonce, byte[] channel, byte[] proof) {
        return isProven(token.holder(), token.token(), nonce, channel, proof);
    }

    private static boolean isProven(
            PublicKey holder, Token token, byte[] nonce, byte[] channel, byte[] proof) {
        return holder.verifies(message(token, nonce, channel), proof);
    }

    private static byte[] message(Token token, byte[] nonce, byte[] channel) {
        if (nonce.length != NONCE_LENGTH) {
            throw new IllegalArgumentException("a nonce has " + NONCE_LENGTH + " bytes");
        }
        var out = new ByteArrayOutputStream();
        out.writeBytes("writ-pop-v1".getBytes(US_ASCII));
        out.writeBytes(nonce);
        out.writeBytes(token.digest());
        out.writeBytes(channel);
        return out.toByteArray();
    }
}
