// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import dev.writ.trust.key.Ed25519;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Verifies the signatures of blocks.
public record PublicKey(Algorithm algorithm, byte[] bytes) {
    /// In the order of their numbers in the format.
    public enum Algorithm {
        ED25519,
        SECP256R1;

        private static final List<Algorithm> NUMBERED = List.of(values());

        int number() {
            return NUMBERED.indexOf(this);
        }
    }

    /// @throws BiscuitException if an honest signer cannot have it
    public PublicKey {
        bytes = bytes.clone();
        boolean sound =
                switch (algorithm) {
                    case ED25519 -> Ed25519.sound(bytes);
                    case SECP256R1 -> P256.sound(bytes);
                };
        if (!sound) {
            throw new BiscuitException("not a sound key: " + text(algorithm, bytes));
        }
    }

    /// Reads what [#toString] writes.
    ///
    /// @throws BiscuitException if it is no key
    public static PublicKey parse(String text) {
        String[] parts = text.strip().split("/", 2);
        for (var algorithm : Algorithm.NUMBERED) {
            if (parts.length == 2 && parts[0].equals(word(algorithm)) && parts[1].length() < 100) {
                try {
                    return new PublicKey(algorithm, HexFormat.of().parseHex(parts[1]));
                } catch (IllegalArgumentException e) {
                    break;
                }
            }
        }
        throw new BiscuitException("not a key of the form `ed25519/...`");
    }

    public static PublicKey ed25519(byte[] bytes) {
        return new PublicKey(Algorithm.ED25519, bytes);
    }

    @Override
    public byte[] bytes() {
        return bytes.clone();
    }

    public boolean verifies(byte[] message, byte[] signature) {
        return switch (algorithm) {
            case ED25519 -> Ed25519.verifies(bytes, message, signature);
            case SECP256R1 -> P256.verifies(bytes, message, signature);
        };
    }

    /// Whether it is the public half of `secret`.
    boolean belongsTo(byte[] secret) {
        return secret.length == 32
                && Arrays.equals(
                        bytes,
                        switch (algorithm) {
                            case ED25519 -> Ed25519.publicOf(secret);
                            case SECP256R1 -> P256.publicOf(secret);
                        });
    }

    static PublicKey read(ProtoReader in) {
        int number = -1;
        byte[] key = {};
        for (int field = in.next(); field != 0; field = in.next()) {
            switch (field) {
                case 1 -> number = in.once().uint32();
                case 2 -> key = in.once().bytes();
                default -> throw in.unknown();
            }
        }
        in.require(1, 2);
        if (number < 0 || number >= Algorithm.NUMBERED.size()) {
            throw new BiscuitException("no such algorithm: " + Integer.toUnsignedString(number));
        }
        return new PublicKey(Algorithm.NUMBERED.get(number), key);
    }

    void write(ProtoWriter out) {
        out.varint(1, algorithm.number()).bytes(2, bytes);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PublicKey k
                && algorithm == k.algorithm
                && Arrays.equals(bytes, k.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /// As in Datalog: `ed25519/` and the bytes in hexadecimal.
    @Override
    public String toString() {
        return text(algorithm, bytes);
    }

    private static String text(Algorithm algorithm, byte[] bytes) {
        return word(algorithm) + "/" + HexFormat.of().formatHex(bytes);
    }

    private static String word(Algorithm algorithm) {
        return algorithm.name().toLowerCase(Locale.ROOT);
    }
}
