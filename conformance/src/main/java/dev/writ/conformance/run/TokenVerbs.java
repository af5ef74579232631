// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.run;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.conformance.harness.Harness.Tokens;
import dev.writ.trust.Json;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The verbs of group T.
record TokenVerbs(Tokens tokens) implements Verbs.Answers {
    private static final int LONGEST = 1 << 20;

    @Override
    public @Nullable Object answer(String verb, List<byte[]> words) throws IOException {
        return switch (verb) {
            case "mint" -> tokens.mint(list(words.get(0)), text(words.get(1)), map(words.get(2)));
            case "attenuate" ->
                    tokens.attenuate(text(words.get(0)), list(words.get(1)), text(words.get(2)));
            case "delegate" -> tokens.delegate(text(words.get(0)), list(words.get(1)));
            case "verify" ->
                    tokens.verify(
                            text(words.get(0)),
                            text(words.get(1)),
                            Long.parseLong(text(words.get(2))),
                            map(words.get(3)));
            case "revoke" -> {
                tokens.revoke(text(words.getFirst()));
                yield null;
            }
            case "stripped" -> tokens.stripped(text(words.get(0)), list(words.get(1)));
            case "shortened" -> tokens.shortened(text(words.getFirst()));
            case "run" -> tokens.run(text(words.get(0)), text(words.get(1)));
            default -> throw new IOException("no such verb: " + verb);
        };
    }

    private static String text(byte[] bytes) {
        return new String(bytes, UTF_8);
    }

    private static List<String> list(byte[] json) {
        return Json.read(json, LONGEST) instanceof List<?> list
                ? list.stream().map(String::valueOf).toList()
                : List.of();
    }

    private static Map<String, String> map(byte[] json) {
        var found = new HashMap<String, String>();
        if (Json.read(json, LONGEST) instanceof Map<?, ?> map) {
            map.forEach((k, v) -> found.put(String.valueOf(k), String.valueOf(v)));
        }
        return found;
    }

    @Override
    public void close() {}
}
