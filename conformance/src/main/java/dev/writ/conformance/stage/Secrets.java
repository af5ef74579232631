// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.stage;

import dev.writ.conformance.oracle.CanarySecret;
import java.security.SecureRandom;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;

/// The secrets of one run, and the nonce that its probe sends about.
public record Secrets(String nonce, Map<CanarySecret, String> values) {
    private static final SecureRandom RANDOM = new SecureRandom();

    public Secrets {
        values = Map.copyOf(values);
    }

    static Secrets fresh() {
        Map<CanarySecret, String> values = new EnumMap<>(CanarySecret.class);
        for (var secret : CanarySecret.values()) {
            values.put(secret, "CC-" + secret.name().toUpperCase(Locale.ROOT) + "-" + random());
        }
        return new Secrets(random(), values);
    }

    /// Letters and digits that nobody can guess.
    static String random() {
        byte[] bytes = new byte[8];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    public String value(CanarySecret secret) {
        String value = values.get(secret);
        if (value == null) {
            throw new IllegalStateException("no such secret: " + secret);
        }
        return value;
    }
}
