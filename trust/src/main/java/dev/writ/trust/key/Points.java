// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.key;

import java.util.HexFormat;

/// Points of the curve that an honest signer never has. With them, one signature would fit many
/// messages, or one key have two spellings.
final class Points {
    /// The second coordinates of the points of small order, as they are spelled.
    private static final String[] SMALL = {
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    };

    private Points() {}

    /// Whether the 32 bytes at `from` spell a point in the one way it is to be spelled, and not one
    /// of small order.
    static boolean sound(byte[] bytes, int from) {
        byte[] y = new byte[32];
        System.arraycopy(bytes, from, y, 0, 32);
        y[31] &= 0x7F; // the sign of the other coordinate
        String text = HexFormat.of().formatHex(y);
        for (var small : SMALL) {
            if (text.equals(small)) {
                return false;
            }
        }
        return belowPrime(y);
    }

    /// Whether the number is below 2^255 - 19.
    private static boolean belowPrime(byte[] y) {
        if (y[31] != 0x7F || (y[0] & 0xFF) < 0xED) {
            return true;
        }
        for (int i = 1; i < 31; i++) {
            if (y[i] != (byte) 0xFF) {
                return true;
            }
        }
        return false;
    }
}
