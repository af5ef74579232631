// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.secret;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// The value of a secret. It has no text form, so it gets into no message by accident.
final class Value {
    static final int LEAST_BYTES = 8;
    static final int MOST_BYTES = 4096;

    private final byte[] bytes;

    /// Takes `bytes` over.
    private Value(byte[] bytes) {
        this.bytes = bytes;
    }

    /// @throws SecretException if this cannot be a secret
    static Value of(String name, byte[] read) {
        int end = read.length;
        while (end > 0 && (read[end - 1] == '\n' || read[end - 1] == '\r')) {
            end--;
        }
        var bytes = Arrays.copyOf(read, end);
        Arrays.fill(read, (byte) 0);
        if (end < LEAST_BYTES) {
            throw new SecretException(
                    name,
                    end == 0 ? "it is empty" : "it is shorter than " + LEAST_BYTES + " bytes",
                    "something so short cannot be told from ordinary text, and so not be kept out of answers");
        }
        if (end > MOST_BYTES) {
            throw new SecretException(name, "it is longer than " + MOST_BYTES + " bytes", "");
        }
        for (byte b : bytes) {
            if ((b >= 0 && b < ' ') || b == 127) {
                throw new SecretException(
                        name,
                        "it has more than one line, or control characters",
                        "a secret is one line of text");
            }
        }
        return new Value(bytes);
    }

    byte[] bytes() {
        return bytes;
    }

    /// One character for each byte, as headers have it.
    String characters() {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    void wipe() {
        Arrays.fill(bytes, (byte) 0);
    }
}
