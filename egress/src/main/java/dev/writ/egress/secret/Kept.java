// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.secret;

import dev.writ.core.capability.Action;
import dev.writ.core.policy.SecretDefinition;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/// One secret of a session: its value, and what stands for it in the sandbox.
final class Kept {
    private static final String BEGINNING = "writ-secret-";
    private static final int RANDOM_BYTES = 16;

    private final SecretDefinition definition;
    private final Value value;
    private final String placeholder;

    Kept(SecretDefinition definition, Value value, SecureRandom random) {
        this.definition = definition;
        this.value = value;
        var bytes = new byte[RANDOM_BYTES];
        random.nextBytes(bytes);
        // Only what every encoding but base64 leaves as it is, and lower case besides.
        this.placeholder =
                BEGINNING
                        + definition.name().toLowerCase(Locale.ROOT)
                        + "-"
                        + HexFormat.of().formatHex(bytes);
    }

    SecretDefinition definition() {
        return definition;
    }

    Value value() {
        return value;
    }

    String placeholder() {
        return placeholder;
    }

    boolean mayGo(Action.UseSecret where) {
        var word = where.word();
        return definition.to().grants().stream().anyMatch(p -> p.progress(word) > word.size());
    }

    /// The spellings of the placeholder.
    List<byte[]> marks() {
        var bytes = placeholder.getBytes(StandardCharsets.US_ASCII);
        var marks = new ArrayList<byte[]>();
        marks.add(bytes);
        Spellings.inBase64(bytes).forEach(s -> marks.add(s.getBytes(StandardCharsets.US_ASCII)));
        return marks;
    }

    /// Puts the value in place of the placeholder, also within base64 after `Basic`.
    String filled(String header) {
        if (header.regionMatches(true, 0, "Basic ", 0, 6)) {
            var inside = decoded(header.substring(6).strip());
            if (inside.contains(placeholder)) {
                return "Basic " + encoded(inside.replace(placeholder, value.characters()));
            }
        }
        return header.replace(placeholder, value.characters());
    }

    static String decoded(String base64) {
        try {
            return new String(Base64.getDecoder().decode(base64), StandardCharsets.ISO_8859_1);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    static String encoded(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.ISO_8859_1));
    }
}
