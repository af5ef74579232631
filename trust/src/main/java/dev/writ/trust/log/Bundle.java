// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The entries of one tile, each with its length before it.
///
/// @param bytes the tile
/// @param starts where each entry begins
/// @param end where the last one ends
record Bundle(byte[] bytes, int[] starts, int end) {
    /// Reads the first `count` entries, or gives null if they are not there.
    static @Nullable Bundle read(byte[] bytes, int count) {
        int[] starts = new int[count];
        int at = 0;
        for (int i = 0; i < count; i++) {
            if (bytes.length - at < 2) {
                return null;
            }
            int length = size(bytes, at);
            starts[i] = at + 2;
            at += 2 + length;
            if (at > bytes.length) {
                return null;
            }
        }
        return new Bundle(bytes, starts, at);
    }

    private static int size(byte[] bytes, int at) {
        return ((bytes[at] & 0xFF) << 8) | (bytes[at + 1] & 0xFF);
    }

    int length(int i) {
        return size(bytes, starts[i] - 2);
    }

    byte[] entry(int i) {
        return Arrays.copyOfRange(bytes, starts[i], starts[i] + length(i));
    }
}
