// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.digest;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// The one digest that Writ uses.
public final class Sha256 {
    private Sha256() {}

    /// A new one that has taken nothing in.
    public static MessageDigest begin() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }

    public static byte[] of(byte[] bytes) {
        return begin().digest(bytes);
    }

    /// As 64 hexadecimal digits.
    public static String hex(byte[] bytes) {
        return hex(begin(), bytes);
    }

    /// Of the bytes of `text` in UTF-8, as 64 hexadecimal digits.
    public static String hex(String text) {
        return hex(text.getBytes(StandardCharsets.UTF_8));
    }

    /// What `digest` has taken in, and `rest`, as 64 hexadecimal digits.
    public static String hex(MessageDigest digest, byte... rest) {
        return HexFormat.of().formatHex(digest.digest(rest));
    }
}
