// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import dev.writ.core.digest.Sha256;
import java.math.BigInteger;
import org.bouncycastle.asn1.x9.X9ECParameters;
import org.bouncycastle.crypto.ec.CustomNamedCurves;
import org.bouncycastle.crypto.params.ECDomainParameters;
import org.bouncycastle.crypto.params.ECPublicKeyParameters;
import org.bouncycastle.crypto.signers.ECDSASigner;
import org.bouncycastle.crypto.signers.StandardDSAEncoding;
import org.bouncycastle.math.ec.FixedPointCombMultiplier;

/// ECDSA over P-256 with SHA-256, to verify tokens of others. We sign with Ed25519 only. Each
/// signature has a twin that verifies as well (`n - s`), and the specification takes both: one more
/// reason why no signature is an identifier here.
final class P256 {
    private static final X9ECParameters CURVE = CustomNamedCurves.getByName("secp256r1");
    private static final ECDomainParameters DOMAIN = new ECDomainParameters(CURVE);
    private static final int COMPRESSED = 33;

    private P256() {}

    static boolean sound(byte[] key) {
        try {
            return key.length == COMPRESSED && !CURVE.getCurve().decodePoint(key).isInfinity();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    static byte[] publicOf(byte[] secret) {
        var number = new BigInteger(1, secret);
        if (number.signum() == 0 || number.compareTo(CURVE.getN()) >= 0) {
            return new byte[0];
        }
        return new FixedPointCombMultiplier()
                .multiply(CURVE.getG(), number)
                .normalize()
                .getEncoded(true);
    }

    static boolean verifies(byte[] key, byte[] message, byte[] signature) {
        try {
            var numbers = StandardDSAEncoding.INSTANCE.decode(CURVE.getN(), signature);
            var signer = new ECDSASigner();
            signer.init(
                    false, new ECPublicKeyParameters(CURVE.getCurve().decodePoint(key), DOMAIN));
            return signer.verifySignature(Sha256.of(message), numbers[0], numbers[1]);
        } catch (java.io.IOException | IllegalArgumentException e) {
            return false;
        }
    }
}
