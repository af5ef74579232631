// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import dev.writ.trust.key.Ed25519;

/// Both halves of an Ed25519 key, in memory.
public record KeyPair(byte[] secret, PublicKey key) implements Signer {
    public static KeyPair of(byte[] secret) {
        return new KeyPair(secret, PublicKey.ed25519(Ed25519.publicOf(secret)));
    }

    public static KeyPair make() {
        return of(Ed25519.secret());
    }

    @Override
    public byte[] sign(byte[] message) {
        return Ed25519.sign(secret, key.bytes(), message);
    }

    /// Never the secret.
    @Override
    public String toString() {
        return "KeyPair[" + key + "]";
    }
}
