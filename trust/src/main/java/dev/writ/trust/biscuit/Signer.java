// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import dev.writ.trust.key.SigningKey;

/// Signs blocks.
public interface Signer {
    PublicKey key();

    byte[] sign(byte[] message);

    /// A key that lies in a file.
    static Signer of(SigningKey key) {
        var open = PublicKey.ed25519(key.verifying().point());
        return new Signer() {
            @Override
            public PublicKey key() {
                return open;
            }

            @Override
            public byte[] sign(byte[] message) {
                return key.sign(message);
            }
        };
    }
}
