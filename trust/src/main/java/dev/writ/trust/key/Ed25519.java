// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.key;

import java.security.SecureRandom;

/// Ed25519 over plain bytes in Java, for signatures that are checked by the thousand: once it is
/// compiled, nothing is faster. Where one is checked now and then, see [VerifyingKey].
public final class Ed25519 {
    public static final int KEY_LENGTH = 32;
    public static final int SIGNATURE_LENGTH = 64;

    private Ed25519() {}

    /// A new secret.
    public static byte[] secret() {
        byte[] secret = new byte[KEY_LENGTH];
        new SecureRandom().nextBytes(secret);
        return secret;
    }

    /// The public key of a secret.
    public static byte[] publicOf(byte[] secret) {
        byte[] key = new byte[KEY_LENGTH];
        org.bouncycastle.math.ec.rfc8032.Ed25519.generatePublicKey(secret, 0, key, 0);
        return key;
    }

    /// @param key the public key of `secret`, which need not be derived once more
    public static byte[] sign(byte[] secret, byte[] key, byte[] message) {
        byte[] signature = new byte[SIGNATURE_LENGTH];
        org.bouncycastle.math.ec.rfc8032.Ed25519.sign(
                secret, 0, key, 0, message, 0, message.length, signature, 0);
        return signature;
    }

    /// Whether an honest signer could have this key.
    public static boolean sound(byte[] key) {
        return key.length == KEY_LENGTH && Points.sound(key, 0);
    }

    /// Whether `signature` is good, and spelled in the one way that it can be.
    public static boolean verifies(byte[] key, byte[] message, byte[] signature) {
        return sound(key) && soundSignature(signature) && isGood(key, message, signature);
    }

    /// Whether an honest signer could have made it.
    static boolean soundSignature(byte[] signature) {
        return signature.length == SIGNATURE_LENGTH
                && Points.sound(signature, 0)
                && Scalars.reduced(signature);
    }

    static boolean isGood(byte[] key, byte[] message, byte[] signature) {
        return org.bouncycastle.math.ec.rfc8032.Ed25519.verify(
                signature, 0, key, 0, message, 0, message.length);
    }
}
