// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.attest;

import static java.nio.charset.StandardCharsets.UTF_8;

/// Changes one bit of what is signed, or of the signature, and keeps the rest well-formed.
final class Tampering {
    private Tampering() {}

    /// @param part `payload`, `sig` or `payloadType`
    static byte[] flip(byte[] bundle, String part) {
        var right = Envelope.read(bundle);
        var wrong =
                switch (part) {
                    case "payload" ->
                            new Envelope(
                                    right.type(),
                                    flip(right.payload()),
                                    right.hint(),
                                    right.signature());
                    case "sig" ->
                            new Envelope(
                                    right.type(),
                                    right.payload(),
                                    right.hint(),
                                    flip(right.signature()));
                    default ->
                            new Envelope(
                                    new String(flip(right.type().getBytes(UTF_8)), UTF_8),
                                    right.payload(),
                                    right.hint(),
                                    right.signature());
                };
        return wrong.bundle();
    }

    private static byte[] flip(byte[] bytes) {
        byte[] flipped = bytes.clone();
        flipped[flipped.length / 2] ^= 1;
        return flipped;
    }
}
