// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.token;

import dev.writ.core.digest.Sha256;
import dev.writ.trust.biscuit.Biscuit;
import dev.writ.trust.biscuit.BiscuitException;
import java.util.Base64;

/// A token as it is handed over: text. Nothing of it is believed; see [TokenVerifier].
public final class Token {
    private static final int LONGEST = Biscuit.LONGEST / 3 * 4 + 4;

    private final byte[] bytes;

    Token(byte[] bytes) {
        this.bytes = bytes;
    }

    static Token of(Biscuit biscuit) {
        return new Token(biscuit.bytes());
    }

    /// @throws BiscuitException if the text is not base64url
    public static Token parse(String text) {
        String stripped = text.strip();
        if (stripped.length() > LONGEST) {
            throw new BiscuitException("not a token: too long");
        }
        try {
            byte[] bytes = Base64.getUrlDecoder().decode(stripped);
            var token = new Token(bytes);
            if (bytes.length > 0 && token.text().equals(stripped)) {
                return token;
            }
        } catch (IllegalArgumentException e) {
            // said below
        }
        throw new BiscuitException("not a token: base64url without padding is expected");
    }

    /// Base64url, without padding.
    public String text() {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /// @throws BiscuitException if it is none
    public Biscuit biscuit() {
        return Biscuit.parse(bytes);
    }

    /// SHA-256 of all of it.
    public byte[] digest() {
        return Sha256.of(bytes);
    }

    /// Not the text: whoever reads a log must not get a token from it.
    @Override
    public String toString() {
        return "Token[" + bytes.length + " bytes]";
    }
}
