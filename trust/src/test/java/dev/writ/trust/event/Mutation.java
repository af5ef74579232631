// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.event;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.List;
import java.util.Random;

/// Bytes that are almost right, or not at all.
public final class Mutation {
    private static final List<String> PIECES =
            List.of(
                    "{",
                    "}",
                    "[",
                    "]",
                    "\"",
                    ",",
                    ":",
                    "\\",
                    "null",
                    "true",
                    "-1",
                    "1e9",
                    "\\ud800",
                    "\"hidden\":7",
                    "[[[[[[",
                    "{\"\":",
                    "9999999999999999",
                    "\u0000",
                    "\u009b",
                    "=",
                    "AAAA",
                    "\"v\":2,",
                    "\"bytes\"");

    private Mutation() {}

    public static byte[] of(byte[] right, Random random) {
        if (random.nextInt(20) == 0) {
            byte[] noise = new byte[random.nextInt(200)];
            random.nextBytes(noise);
            return noise;
        }
        byte[] bytes = right.clone();
        for (int n = 1 + random.nextInt(4); n > 0 && bytes.length > 0; n--) {
            int at = random.nextInt(bytes.length);
            bytes =
                    switch (random.nextInt(4)) {
                        case 0 -> flip(bytes, at, random.nextInt(8));
                        case 1 -> Arrays.copyOf(bytes, at);
                        case 2 ->
                                join(
                                        Arrays.copyOf(bytes, at),
                                        PIECES.get(random.nextInt(PIECES.size())).getBytes(UTF_8),
                                        Arrays.copyOfRange(bytes, at, bytes.length));
                        default ->
                                join(
                                        Arrays.copyOf(bytes, at),
                                        new byte[0],
                                        Arrays.copyOfRange(
                                                bytes,
                                                at + random.nextInt(bytes.length - at),
                                                bytes.length));
                    };
        }
        return bytes;
    }

    private static byte[] flip(byte[] bytes, int at, int bit) {
        bytes[at] ^= (byte) (1 << bit);
        return bytes;
    }

    private static byte[] join(byte[] a, byte[] b, byte[] c) {
        byte[] out = Arrays.copyOf(a, a.length + b.length + c.length);
        System.arraycopy(b, 0, out, a.length, b.length);
        System.arraycopy(c, 0, out, a.length + b.length, c.length);
        return out;
    }
}
