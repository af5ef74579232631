// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.writ.core.digest.Sha256;
import java.io.ByteArrayOutputStream;
import java.security.MessageDigest;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A block as it travels: what it says, the key of the block after it, and the signatures.
///
/// @param version of what is signed: 0 as it once was, 1 with the block before in it
public record SignedBlock(
        byte[] payload,
        PublicKey nextKey,
        byte[] signature,
        @Nullable External external,
        int version) {
    /// The signature of somebody who is no holder of the token.
    public record External(PublicKey key, byte[] signature) {}

    /// What the key of the block signs.
    ///
    /// @param before the signature of the block before; null for the first
    static byte[] signed(
            byte[] payload,
            PublicKey nextKey,
            byte @Nullable [] before,
            @Nullable External external,
            int version) {
        var out = new ByteArrayOutputStream(payload.length + 300);
        if (version == 0) {
            out.writeBytes(payload);
            number(out, nextKey.algorithm().number());
            out.writeBytes(nextKey.bytes());
            return out.toByteArray();
        }
        label(out, "\0BLOCK\0\0VERSION\0");
        number(out, version);
        label(out, "\0PAYLOAD\0");
        out.writeBytes(payload);
        label(out, "\0ALGORITHM\0");
        number(out, nextKey.algorithm().number());
        label(out, "\0NEXTKEY\0");
        out.writeBytes(nextKey.bytes());
        if (before != null) {
            label(out, "\0PREVSIG\0");
            out.writeBytes(before);
        }
        if (external != null) {
            label(out, "\0EXTERNALSIG\0");
            out.writeBytes(external.signature());
        }
        return out.toByteArray();
    }

    /// What somebody else signs.
    static byte[] signedOutside(byte[] payload, byte[] before) {
        var out = new ByteArrayOutputStream(payload.length + 128);
        label(out, "\0EXTERNAL\0\0VERSION\0");
        number(out, 1);
        label(out, "\0PAYLOAD\0");
        out.writeBytes(payload);
        label(out, "\0PREVSIG\0");
        out.writeBytes(before);
        return out.toByteArray();
    }

    /// What the last key signs when nothing may be added any more.
    byte[] seal() {
        var out = new ByteArrayOutputStream(payload.length + 128);
        out.writeBytes(payload);
        number(out, nextKey.algorithm().number());
        out.writeBytes(nextKey.bytes());
        out.writeBytes(signature);
        return out.toByteArray();
    }

    /// What the key of the block signed.
    byte[] signed(byte @Nullable [] before) {
        return signed(payload, nextKey, before, external, version);
    }

    /// Adds the signatures of the block to those that are to be verified.
    ///
    /// @param number of the block in its token
    /// @param signed what `key` must have signed
    void verify(
            Signatures all, int number, PublicKey key, byte[] signed, byte @Nullable [] before) {
        String block = "block " + number + ": ";
        all.add(() -> key.verifies(signed, signature), block + "its signature is not good");
        if (external != null) {
            all.add(
                    () ->
                            before != null
                                    && external.key()
                                            .verifies(
                                                    signedOutside(payload, before),
                                                    external.signature()),
                    block + "the signature of its giver is not good");
        }
    }

    /// By what a block is known to us: SHA-256 of what was signed, in hexadecimal. A signature
    /// would not do, as some have a second spelling.
    static String id(byte[] signed) {
        return Sha256.hex(signed);
    }

    /// SHA-256 over all of the block, behind what `digest` has taken in.
    public byte[] fingerprint(MessageDigest digest) {
        var out = new ProtoWriter();
        write(out);
        return digest.digest(out.done());
    }

    static SignedBlock read(ProtoReader in) {
        byte[] payload = {};
        PublicKey next = null;
        byte[] signature = {};
        External external = null;
        int version = 0;
        for (int field = in.next(); field != 0; field = in.next()) {
            switch (field) {
                case 1 -> payload = in.once().bytes();
                case 2 -> next = PublicKey.read(in.once().message());
                case 3 -> signature = in.once().bytes();
                case 4 -> external = readExternal(in.once().message());
                case 5 -> version = in.once().uint32();
                default -> throw in.unknown();
            }
        }
        in.require(1, 2, 3);
        if (next == null || version < 0 || version > 1 || (external != null && version == 0)) {
            throw new BiscuitException(
                    "signatures of version "
                            + Integer.toUnsignedString(version)
                            + " are not taken here");
        }
        return new SignedBlock(payload, next, signature, external, version);
    }

    private static External readExternal(ProtoReader in) {
        byte[] signature = {};
        PublicKey key = null;
        for (int field = in.next(); field != 0; field = in.next()) {
            switch (field) {
                case 1 -> signature = in.once().bytes();
                case 2 -> key = PublicKey.read(in.once().message());
                default -> throw in.unknown();
            }
        }
        in.require(1);
        if (key == null) {
            throw new BiscuitException("a signature without a key");
        }
        return new External(key, signature);
    }

    void write(ProtoWriter out) {
        out.bytes(1, payload).message(2, nextKey::write).bytes(3, signature);
        if (external != null) {
            out.message(4, w -> w.bytes(1, external.signature()).message(2, external.key()::write));
        }
        if (version > 0) {
            out.varint(5, version);
        }
    }

    private static void label(ByteArrayOutputStream out, String label) {
        out.writeBytes(label.getBytes(US_ASCII));
    }

    private static void number(ByteArrayOutputStream out, int number) {
        out.writeBytes(
                new byte[] {
                    (byte) number,
                    (byte) (number >> 8),
                    (byte) (number >> 16),
                    (byte) (number >> 24)
                });
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SignedBlock b
                && version == b.version
                && Arrays.equals(signature, b.signature)
                && Arrays.equals(payload, b.payload);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(signature);
    }
}
