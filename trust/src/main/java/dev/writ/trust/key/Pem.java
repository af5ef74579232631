// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.key;

import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/// Ed25519 keys as other tools have them: DER in PEM. There is one way to write each, so the bytes
/// before the key itself are always the same.
enum Pem {
    /// PKCS #8
    PRIVATE("PRIVATE KEY", "302e020100300506032b657004220420"),
    /// SubjectPublicKeyInfo
    PUBLIC("PUBLIC KEY", "302a300506032b6570032100");

    private final String label;
    private final String start;

    Pem(String label, String start) {
        this.label = label;
        this.start = start;
    }

    byte[] der(byte[] key) {
        byte[] head = HexFormat.of().parseHex(start);
        byte[] der = Arrays.copyOf(head, head.length + key.length);
        System.arraycopy(key, 0, der, head.length, key.length);
        return der;
    }

    String write(byte[] key) {
        return "-----BEGIN "
                + label
                + "-----\n"
                + Base64.getEncoder().encodeToString(der(key))
                + "\n-----END "
                + label
                + "-----\n";
    }

    /// The key of this sort in a file, or null if there is none.
    byte @Nullable [] find(String text) {
        String begin = "-----BEGIN " + label + "-----";
        int from = text.indexOf(begin);
        int to = text.indexOf("-----END " + label + "-----");
        if (from < 0 || to < from) {
            return null;
        }
        byte[] head = HexFormat.of().parseHex(start);
        byte[] der;
        try {
            String inside = text.substring(from + begin.length(), to);
            der = Base64.getDecoder().decode(inside.replaceAll("\\s", ""));
        } catch (IllegalArgumentException e) {
            return null;
        }
        boolean ours =
                der.length == head.length + 32
                        && Arrays.equals(der, 0, head.length, head, 0, head.length);
        return ours ? Arrays.copyOfRange(der, head.length, der.length) : null;
    }
}
