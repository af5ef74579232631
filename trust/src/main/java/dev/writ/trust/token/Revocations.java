// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.token;

import dev.writ.trust.biscuit.PublicKey;
import java.util.Optional;

/// What is good for nothing any more, whatever its signatures say.
public interface Revocations {
    /// Whether a block is revoked, and so every token that has it.
    ///
    /// @param id SHA-256 of what was signed, in hexadecimal
    boolean isRevoked(String id);

    /// Whether all that this holder was ever given is revoked.
    boolean isRevoked(PublicKey holder);

    /// Why nobody can say what is revoked, so that everything is; empty if it can be said.
    default Optional<String> problem() {
        return Optional.empty();
    }

    /// Nothing is.
    Revocations NONE =
            new Revocations() {
                @Override
                public boolean isRevoked(String id) {
                    return false;
                }

                @Override
                public boolean isRevoked(PublicKey holder) {
                    return false;
                }
            };
}
