// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.attest;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.util.Base64;

/// A key of the platform.
final class Ed25519 implements Signer, Verifier {
    private final KeyPair pair;

    Ed25519() {
        try {
            pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public byte[] sign(byte[] message) {
        try {
            var signature = Signature.getInstance("Ed25519");
            signature.initSign(pair.getPrivate());
            signature.update(message);
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public boolean verify(byte[] message, byte[] signed) {
        try {
            var signature = Signature.getInstance("Ed25519");
            signature.initVerify(pair.getPublic());
            signature.update(message);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            return false; // the platform throws at what cannot be a signature
        }
    }

    void writePublicKey(Path file) throws IOException {
        var lines = Base64.getMimeEncoder(64, new byte[] {'\n'});
        Files.writeString(
                file,
                "-----BEGIN PUBLIC KEY-----\n"
                        + lines.encodeToString(pair.getPublic().getEncoded())
                        + "\n-----END PUBLIC KEY-----\n",
                US_ASCII);
    }
}
