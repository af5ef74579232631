// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.key;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.digest.Sha256;
import dev.writ.kernel.Libcrypto;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;

/// The public half of an Ed25519 key, with the name under which it signs. The name is part of who
/// it is: the same key under another name signs nothing here.
public final class VerifyingKey {
    private static final byte ED25519 = 1;

    private final String name;
    private final byte[] point;

    /// @param point the 32 bytes of the key
    /// @throws KeyException if it is no key that an honest signer has, or no name
    public VerifyingKey(String name, byte[] point) {
        if (!name.matches("[!-*,-~]{1,200}")) {
            throw new KeyException(
                    "a key's name is up to 200 visible ASCII characters without `+`: `"
                            + name
                            + "`");
        }
        if (!Ed25519.sound(point)) {
            throw new KeyException(
                    "not a sound Ed25519 key: `" + HexFormat.of().formatHex(point) + "`");
        }
        this.name = name;
        this.point = point.clone();
    }

    /// Reads `name+hash+base64`, the form that signed notes have.
    ///
    /// @throws KeyException if it is not of that form, or the parts do not belong together
    public static VerifyingKey parse(String text) {
        String[] parts = text.strip().split("\\+", 3);
        if (parts.length == 3) {
            byte[] key = Note.base64(parts[2]);
            if (key != null && key.length == 33 && key[0] == ED25519) {
                var found = new VerifyingKey(parts[0], Arrays.copyOfRange(key, 1, 33));
                if (HexFormat.of().formatHex(found.id()).equals(parts[1])) {
                    return found;
                }
            }
        }
        throw new KeyException("not a key of the form `name+hash+base64`: `" + text.strip() + "`");
    }

    /// Reads a PEM file, which has no name in it.
    public static VerifyingKey parsePem(String name, String text) {
        byte[] key = Pem.PUBLIC.find(text);
        if (key == null) {
            throw new KeyException("no Ed25519 public key in the PEM text for `" + name + "`");
        }
        return new VerifyingKey(name, key);
    }

    public String name() {
        return name;
    }

    /// The same key under another name.
    public VerifyingKey named(String other) {
        return new VerifyingKey(other, point);
    }

    /// The 32 bytes.
    public byte[] point() {
        return point.clone();
    }

    /// The four bytes by which a signed note says whose signature it is.
    public byte[] id() {
        var digest = Sha256.begin();
        digest.update(name.getBytes(UTF_8));
        digest.update((byte) '\n');
        digest.update(ED25519);
        return Arrays.copyOf(digest.digest(point), 4);
    }

    /// All 32 bytes of SHA-256 over the key as in [#pem], in hexadecimal: for people to compare.
    public String fingerprint() {
        return Sha256.hex(Pem.PUBLIC.der(point));
    }

    /// As a PEM file, for openssl and others.
    public String pem() {
        return Pem.PUBLIC.write(point);
    }

    /// Whether `signature` is this key's over `message`.
    public boolean verifies(byte[] message, byte[] signature) {
        if (!Ed25519.soundSignature(signature)) {
            return false;
        }
        var library = Libcrypto.find();
        return library.isPresent()
                ? library.get().verifies(point, message, signature)
                : Ed25519.isGood(point, message, signature);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof VerifyingKey key
                && name.equals(key.name)
                && Arrays.equals(point, key.point);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(point);
    }

    /// `name+hash+base64`, as signed notes have it.
    @Override
    public String toString() {
        byte[] key = new byte[33];
        key[0] = ED25519;
        System.arraycopy(point, 0, key, 1, 32);
        return name
                + "+"
                + HexFormat.of().formatHex(id())
                + "+"
                + Base64.getEncoder().encodeToString(key);
    }
}
