// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.key;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Keys and signatures that an honest signer never makes, derived here from the curve itself.
class PointsTest {
    private static final BigInteger ONE = BigInteger.ONE;
    private static final BigInteger P = ONE.shiftLeft(255).subtract(BigInteger.valueOf(19));
    private static final BigInteger L =
            ONE.shiftLeft(252).add(new BigInteger("27742317777372353535851937790883648493"));
    private static final BigInteger D =
            BigInteger.valueOf(-121665).multiply(BigInteger.valueOf(121666).modInverse(P)).mod(P);

    private final SigningKey key = SigningKey.make("log");
    private final byte[] message = "message".getBytes(UTF_8);

    /// The y of all points P with 8P = 0: 0 and 1 and -1, and where doubling leads to y = 0, which
    /// is d y^4 + 2 y^2 - 1 = 0.
    private static Set<BigInteger> smallOrder() {
        var found = new LinkedHashSet<BigInteger>();
        found.add(BigInteger.ZERO);
        found.add(ONE);
        found.add(P.subtract(ONE));
        var root = squareRoot(D.add(ONE).mod(P));
        for (var sign : new BigInteger[] {root, P.subtract(root)}) {
            var square = sign.subtract(ONE).multiply(D.modInverse(P)).mod(P);
            var y = squareRoot(square);
            if (y.multiply(y).mod(P).equals(square)) {
                found.add(y);
                found.add(P.subtract(y));
            }
        }
        return found;
    }

    /// For p = 5 mod 8; of what is no square it gives something else.
    private static BigInteger squareRoot(BigInteger square) {
        var root = square.modPow(P.add(BigInteger.valueOf(3)).shiftRight(3), P);
        if (!root.multiply(root).mod(P).equals(square)) {
            var turn = BigInteger.TWO.modPow(P.subtract(ONE).shiftRight(2), P);
            root = root.multiply(turn).mod(P);
        }
        return root;
    }

    private static byte[] little(BigInteger number) {
        byte[] bytes = new byte[32];
        for (int i = 0; i < 32; i++) {
            bytes[i] = number.shiftRight(8 * i).byteValue();
        }
        return bytes;
    }

    @Test
    void keys_of_small_order_are_refused_in_every_spelling() {
        assertThat(smallOrder()).hasSize(5);
        for (var y : smallOrder()) {
            for (var spelled : new BigInteger[] {y, y.add(P)}) {
                if (spelled.bitLength() <= 255) {
                    byte[] point = little(spelled);
                    refuses(point);
                    point[31] |= (byte) 0x80;
                    refuses(point);
                }
            }
        }
    }

    @Test
    void keys_that_are_not_spelled_canonically_are_refused() {
        for (int i = 0; i < 19; i++) {
            refuses(little(P.add(BigInteger.valueOf(i))));
        }
    }

    private static void refuses(byte[] point) {
        assertThatThrownBy(() -> new VerifyingKey("log", point))
                .as(HexFormat.of().formatHex(point))
                .isInstanceOf(KeyException.class);
    }

    /// The positive control: to a key of small order a signature fits that nobody made, for some
    /// messages, and the JDK takes it.
    @Test
    void the_jdk_alone_takes_a_signature_that_nobody_made() throws Exception {
        byte[] identity = little(ONE);
        byte[] forged = new byte[64];
        forged[0] = 1; // R is the identity, S is zero: S B = R + k A for A the identity
        var jdk =
                KeyFactory.getInstance("Ed25519")
                        .generatePublic(new X509EncodedKeySpec(Pem.PUBLIC.der(identity)));
        var check = Signature.getInstance("Ed25519");
        check.initVerify(jdk);
        check.update(message);

        assertThat(check.verify(forged)).isTrue();
        assertThat(key.verifying().verifies(message, forged)).isFalse();
    }

    @Test
    void a_signature_has_one_spelling() {
        byte[] good = key.sign(message);
        assertThat(key.verifying().verifies(message, good)).isTrue();
        byte[] s = Arrays.copyOfRange(good, 32, 64);
        for (int i = 0; i < 16; i++) { // S, least significant byte last
            byte swapped = s[i];
            s[i] = s[31 - i];
            s[31 - i] = swapped;
        }

        byte[] larger = little(new BigInteger(1, s).add(L));
        byte[] bad = Arrays.copyOf(good, 64);
        System.arraycopy(larger, 0, bad, 32, 32);

        assertThat(key.verifying().verifies(message, bad)).isFalse();
    }

    @Test
    void any_other_bit_spoils_a_signature() {
        byte[] good = key.sign(message);
        for (int bit = 0; bit < 512; bit++) {
            byte[] bad = good.clone();
            bad[bit / 8] ^= (byte) (1 << (bit % 8));
            assertThat(key.verifying().verifies(message, bad)).isFalse();
        }
        assertThat(key.verifying().verifies(message, Arrays.copyOf(good, 63))).isFalse();
        assertThat(key.verifying().verifies(message, Arrays.copyOf(good, 65))).isFalse();
        assertThat(SigningKey.make("log").verifying().verifies(message, good)).isFalse();
    }
}
