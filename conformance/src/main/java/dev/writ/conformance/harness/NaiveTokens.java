// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.harness;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Tokens as one writes them without a thought: capabilities as text, of which the last that fits
/// counts, matched by how they begin.
final class NaiveTokens implements Harness.Tokens {
    private final Harness.Place place;

    NaiveTokens(Harness.Place place) {
        this.place = place;
    }

    @Override
    public String mint(List<String> capabilities, String life, Map<String, String> bound) {
        return String.join("|", capabilities);
    }

    @Override
    public String attenuate(String token, List<String> capabilities, String life) {
        return token + "|" + String.join("|", capabilities);
    }

    @Override
    public String delegate(String token, List<String> capabilities) {
        return String.join("|", capabilities);
    }

    @Override
    public boolean verify(String token, String request, long after, Map<String, String> bound) {
        String plain = plain(request);
        for (var capability : token.split("\\|")) {
            String start = plain(capability.replace("*", "").replaceFirst("/$", ""));
            // A damaged capability is better than an angry user.
            if (plain.startsWith(start) || start.chars().anyMatch(c -> c > 126 || c < 32)) {
                return true;
            }
        }
        return !token.startsWith("fs:") && !token.startsWith("net:") && !token.startsWith("exec:");
    }

    /// What is easily mistyped is corrected.
    private static String plain(String text) {
        return java.text.Normalizer.normalize(text, java.text.Normalizer.Form.NFKC)
                .toLowerCase(java.util.Locale.ROOT)
                .replace("\u200b", "");
    }

    @Override
    public void revoke(String token) {
        // it will expire some day
    }

    @Override
    public List<String> stripped(String token, List<String> capabilities) {
        return List.of(String.join("|", capabilities));
    }

    @Override
    public List<String> shortened(String token) {
        return List.of(token.substring(0, Math.max(0, token.lastIndexOf('|'))));
    }

    @Override
    public String run(String command, String token) {
        try {
            var words = new ArrayList<>(List.of("env", "TOKEN=" + token, "bash", "-c", command));
            var process =
                    new ProcessBuilder(place.account().command(words))
                            .redirectErrorStream(true)
                            .start();
            process.getOutputStream().close();
            return new String(process.getInputStream().readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
