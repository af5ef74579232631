// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.event;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.capability.Text;
import dev.writ.core.digest.Sha256;
import dev.writ.trust.Json;
import java.io.IOException;
import java.io.InputStream;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A value in the JSON form of an event. Three sorts stand for something else:
///
/// - `{"base64", "shown"}`: text whose bytes are not UTF-8, such as a file name can be
/// - `{"bytes", "sha256", "head", "tail"}`: what is too long to be kept
/// - `{"hidden"}`: what is secret; see [Disclosure]
public final class Value {
    private static final int PIECE = 256;

    private Value() {}

    /// `value` as JSON can hold it, with nothing lost.
    static Object of(Object value) {
        // A switch over types would have to be linked at each start.
        if (value instanceof String text) {
            return text(text);
        }
        if (value instanceof List<?> list) {
            return list.stream().map(Value::of).toList();
        }
        if (value instanceof Map<?, ?> map) {
            var out = new LinkedHashMap<String, Object>();
            map.forEach((key, item) -> out.put(String.valueOf(key), of(item)));
            return out;
        }
        // What nobody can hold exactly is no number any more.
        boolean inexact =
                value instanceof Long number && (number > Json.MOST || number < -Json.MOST);
        return inexact ? value.toString() : value;
    }

    private static Object text(String text) {
        if (isUnicode(text)) {
            return text;
        }
        var out = new LinkedHashMap<String, Object>();
        out.put("base64", Base64.getEncoder().encodeToString(Text.bytes(text)));
        out.put("shown", Text.shown(text));
        return out;
    }

    /// `value`, or what stands for it if its canonical form is longer than `most` bytes.
    static @Nullable Object bounded(@Nullable Object value, int most) {
        if (value == null || value instanceof Boolean || value instanceof Number) {
            return value;
        }
        byte[] canonical = Json.canonical(value);
        return canonical.length <= most ? value : digest(value, canonical);
    }

    /// The digest is over the bytes of a text, and over the canonical JSON of anything else.
    private static Map<String, Object> digest(Object value, byte[] canonical) {
        byte[] bytes =
                switch (value) {
                    case String text -> text.getBytes(UTF_8);
                    case Map<?, ?> map when map.get("base64") instanceof String raw ->
                            Base64.getDecoder().decode(raw);
                    default -> canonical;
                };
        String shown = Text.shown(shown(value));
        var out = new LinkedHashMap<String, Object>();
        out.put("bytes", (long) bytes.length);
        out.put("sha256", sha256(bytes));
        out.put("head", shown.substring(0, shown.offsetByCodePoints(0, pieces(shown, false))));
        int tail = pieces(shown, true);
        out.put("tail", shown.substring(shown.offsetByCodePoints(shown.length(), -tail)));
        return out;
    }

    /// How many characters at one end fit into a piece, also when written as JSON.
    private static int pieces(String shown, boolean fromEnd) {
        int[] points = shown.codePoints().toArray();
        int size = 0;
        for (int n = 0; n < points.length; n++) {
            int c = points[fromEnd ? points.length - 1 - n : n];
            size += c == '"' || c == '\\' ? 2 : c < 0x80 ? 1 : 4;
            if (size > PIECE) {
                return n;
            }
        }
        return points.length;
    }

    /// `value` as text to look at. Not neutralised.
    public static String shown(@Nullable Object value) {
        if (value instanceof String text) {
            return text;
        }
        if (value instanceof List<?> list) {
            return list.stream().map(Value::shown).collect(Collectors.joining(" "));
        }
        return value instanceof Map<?, ?> map ? shown(map) : value == null ? "" : value.toString();
    }

    private static String shown(Map<?, ?> map) {
        if (map.get("hidden") instanceof String) {
            return "(hidden)";
        }
        if (map.get("shown") instanceof String text) {
            return text;
        }
        if (map.get("head") instanceof String head && map.get("tail") instanceof String tail) {
            return head + " ... (" + map.get("bytes") + " bytes) ... " + tail;
        }
        return map.entrySet().stream()
                .map(e -> e.getKey() + "=" + shown(e.getValue()))
                .collect(Collectors.joining(" "));
    }

    /// SHA-256 of all `parts` together, as 64 hexadecimal digits.
    public static String sha256(byte[]... parts) {
        var sha = Sha256.begin();
        for (byte[] part : parts) {
            sha.update(part);
        }
        return Sha256.hex(sha);
    }

    /// The same of what can be read from `in`.
    public static String sha256(InputStream in) throws IOException {
        return sha256(in, Long.MAX_VALUE);
    }

    /// The same of its first `most` bytes: who writes it may not come to an end.
    public static String sha256(InputStream in, long most) throws IOException {
        var sha = Sha256.begin();
        byte[] buffer = new byte[64 * 1024];
        long left = most;
        while (left > 0) {
            int n = in.read(buffer, 0, (int) Math.min(left, buffer.length));
            if (n < 0) {
                break;
            }
            sha.update(buffer, 0, n);
            left -= n;
        }
        return Sha256.hex(sha);
    }

    private static boolean isUnicode(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                if (Character.charCount(text.codePointAt(i)) == 1) {
                    return false;
                }
                i++;
            }
        }
        return true;
    }
}
