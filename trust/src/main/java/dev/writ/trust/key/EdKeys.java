// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.key;

import java.io.NotSerializableException;
import java.io.ObjectOutputStream;
import java.math.BigInteger;
import java.security.interfaces.EdECPrivateKey;
import java.security.interfaces.EdECPublicKey;
import java.security.spec.EdECPoint;
import java.security.spec.NamedParameterSpec;
import java.util.Arrays;
import java.util.Optional;

/// Keys as the JDK takes them. Its own way to make them from bytes costs every short command 40 ms,
/// for switches that are built anew in each process.
final class EdKeys {
    private EdKeys() {}

    /// @param bytes the 32 bytes of the secret
    static EdECPrivateKey secret(byte[] bytes) {
        return new Secret(bytes);
    }

    /// @param bytes the 32 bytes of the key: the height of a point, and in the last bit its side
    static EdECPublicKey open(byte[] bytes) {
        byte[] height = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            height[i] = bytes[bytes.length - 1 - i];
        }
        boolean odd = height[0] < 0;
        height[0] &= 0x7f;
        return new Open(bytes, new EdECPoint(odd, new BigInteger(1, height)));
    }

    private static final class Secret implements EdECPrivateKey {
        private static final long serialVersionUID = 1;
        private final transient byte[] bytes;

        Secret(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        public Optional<byte[]> getBytes() {
            return Optional.of(bytes.clone());
        }

        @Override
        public NamedParameterSpec getParams() {
            return NamedParameterSpec.ED25519;
        }

        @Override
        public String getAlgorithm() {
            return "EdDSA";
        }

        @Override
        public String getFormat() {
            return "PKCS#8";
        }

        @Override
        public byte[] getEncoded() {
            return Pem.PRIVATE.der(bytes);
        }

        private void writeObject(ObjectOutputStream out) throws NotSerializableException {
            throw new NotSerializableException("a secret stays where it is");
        }
    }

    private static final class Open implements EdECPublicKey {
        private static final long serialVersionUID = 1;
        private final transient byte[] bytes;
        private final transient EdECPoint point;

        Open(byte[] bytes, EdECPoint point) {
            this.bytes = Arrays.copyOf(bytes, bytes.length);
            this.point = point;
        }

        @Override
        public EdECPoint getPoint() {
            return point;
        }

        @Override
        public NamedParameterSpec getParams() {
            return NamedParameterSpec.ED25519;
        }

        @Override
        public String getAlgorithm() {
            return "EdDSA";
        }

        @Override
        public String getFormat() {
            return "X.509";
        }

        @Override
        public byte[] getEncoded() {
            return Pem.PUBLIC.der(bytes);
        }
    }
}
