// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.key;

/// The second half of a signature: a number below the order of the group. Were larger ones taken,
/// everybody could make a second signature from a first.
final class Scalars {
    private Scalars() {}

    /// Whether the last 32 bytes of a signature are below 2^252 +
    /// 27742317777372353535851937790883648493.
    static boolean reduced(byte[] signature) {
        byte[] order = {
            (byte) 0xED,
            (byte) 0xD3,
            (byte) 0xF5,
            0x5C,
            0x1A,
            0x63,
            0x12,
            0x58,
            (byte) 0xD6,
            (byte) 0x9C,
            (byte) 0xF7,
            (byte) 0xA2,
            (byte) 0xDE,
            (byte) 0xF9,
            (byte) 0xDE,
            0x14,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0x10
        };
        for (int i = 31; i >= 0; i--) {
            int compared = Integer.compare(signature[32 + i] & 0xFF, order[i] & 0xFF);
            if (compared != 0) {
                return compared < 0;
            }
        }
        return false;
    }
}
