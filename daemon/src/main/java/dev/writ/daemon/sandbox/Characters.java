// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.sandbox;

/// Where UTF-8 may be cut.
final class Characters {
    private Characters() {}

    /// How many of the last bytes begin a character that is not whole yet.
    static int incomplete(byte[] bytes, int length) {
        for (int back = 1; back <= Math.min(3, length); back++) {
            int b = bytes[length - back] & 0xff;
            if (b < 0x80) {
                return 0;
            }
            if (b >= 0xc0) {
                int needed = b >= 0xf0 ? 4 : b >= 0xe0 ? 3 : 2;
                return back < needed ? back : 0;
            }
        }
        return 0;
    }
}
