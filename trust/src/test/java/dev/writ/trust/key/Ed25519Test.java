// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.writ.kernel.Libcrypto;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.NamedParameterSpec;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The library of this machine, Bouncy Castle and the JDK say the same.
class Ed25519Test {
    private static final int TRIES = 300;

    private final Random random = new Random(7);

    @BeforeEach
    void given() {
        assumeTrue(Libcrypto.find().isPresent(), "no libcrypto.so.3 on this machine");
    }

    private byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] signedByTheJdk(byte[] secret, byte[] message) throws Exception {
        var key =
                KeyFactory.getInstance("Ed25519")
                        .generatePrivate(
                                new EdECPrivateKeySpec(NamedParameterSpec.ED25519, secret));
        var signature = Signature.getInstance("Ed25519");
        signature.initSign(key);
        signature.update(message);
        return signature.sign();
    }

    @Test
    void all_sign_alike() throws Exception {
        var library = Libcrypto.find().orElseThrow();
        for (int i = 0; i < TRIES; i++) {
            byte[] secret = bytes(32);
            byte[] message = bytes(random.nextInt(i < 10 ? 100_000 : 300));
            byte[] signature = library.sign(secret, message);

            assertThat(signature)
                    .isEqualTo(Ed25519.sign(secret, Ed25519.publicOf(secret), message))
                    .isEqualTo(signedByTheJdk(secret, message));
        }
    }

    @Test
    void all_find_the_same_signatures_good() {
        var library = Libcrypto.find().orElseThrow();
        for (int i = 0; i < TRIES; i++) {
            byte[] secret = bytes(32);
            byte[] key = Ed25519.publicOf(secret);
            byte[] message = bytes(1 + random.nextInt(200));
            byte[] signature = library.sign(secret, message);
            assertThat(library.verifies(key, message, signature)).isTrue();
            assertThat(Ed25519.isGood(key, message, signature)).isTrue();

            byte[] one = new byte[][] {key, message, signature}[i % 3];
            one[random.nextInt(one.length)] ^= (byte) (1 << random.nextInt(8));

            assertThat(library.verifies(key, message, signature)).isFalse();
            assertThat(Ed25519.isGood(key, message, signature)).isFalse();
        }
    }

    @Test
    void what_is_no_key_verifies_nothing() {
        var library = Libcrypto.find().orElseThrow();
        for (int i = 0; i < TRIES; i++) {
            byte[] key = bytes(32);
            byte[] message = bytes(20);
            byte[] signature = bytes(64);

            assertThat(library.verifies(key, message, signature)).isFalse();
        }
    }
}
