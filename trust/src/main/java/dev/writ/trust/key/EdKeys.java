// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.key;

import java.io.NotSerializableException;
import java.io.ObjectOutputStream;
import java.math.BigInteger;
import java.security.Key;
import java.security.interfaces.EdECKey;
import java.security.interfaces.EdECPrivateKey;
import java.security.interfaces.EdECPublicKey;
import java.security.spec.EdECPoint;
import java.security.spec.NamedParameterSpec;
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

    /// What both halves have.
    private abstract static class Half implements EdECKey, Key {
        private static final long serialVersionUID = 1;
        private final transient byte[] bytes;
        private final transient Pem form;

        Half(byte[] bytes, Pem form) {
            this.bytes = bytes.clone();
            this.form = form;
        }

        byte[] bytes() {
            return bytes.clone();
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
        public byte[] getEncoded() {
            return form.der(bytes);
        }

        private void writeObject(ObjectOutputStream out) throws NotSerializableException {
            throw new NotSerializableException("keys are kept in files of their own");
        }
    }

    private static final class Secret extends Half implements EdECPrivateKey {
        private static final long serialVersionUID = 1;

        Secret(byte[] bytes) {
            super(bytes, Pem.PRIVATE);
        }

        @Override
        public Optional<byte[]> getBytes() {
            return Optional.of(bytes());
        }

        @Override
        public String getFormat() {
            return "PKCS#8";
        }
    }

    private static final class Open extends Half implements EdECPublicKey {
        private static final long serialVersionUID = 1;
        private final transient EdECPoint point;

        Open(byte[] bytes, EdECPoint point) {
            super(bytes, Pem.PUBLIC);
            this.point = point;
        }

        @Override
        public EdECPoint getPoint() {
            return point;
        }

        @Override
        public String getFormat() {
            return "X.509";
        }
    }
}
