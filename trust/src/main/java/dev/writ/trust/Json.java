// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.json.JsonException;
import dev.writ.core.json.JsonReader;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// JSON: maps, lists, texts, numbers, booleans and null, on one line.
///
/// There are two layouts. [#write] is for output: everything outside printable ASCII is escaped, so
/// that a line stays a line on any terminal. [#canonical] is for what is hashed and signed: there
/// is one form of each value (RFC 8785).
public final class Json {
    /// The largest whole number that every reader of JSON has exactly.
    public static final long MOST = JsonReader.MOST;

    private final StringBuilder out = new StringBuilder();
    private final boolean canonical;

    private Json(boolean canonical) {
        this.canonical = canonical;
    }

    /// `value` in the order in which it is given.
    public static String write(@Nullable Object value) {
        var json = new Json(false);
        json.append(value);
        return json.out.toString();
    }

    /// `value` in its one canonical form, in UTF-8.
    ///
    /// @throws IllegalArgumentException if it has none: a number that is not whole or too large, or
    /// text that is not Unicode
    public static byte[] canonical(@Nullable Object value) {
        var json = new Json(true);
        json.append(value);
        return json.out.toString().getBytes(UTF_8);
    }

    /// Reads what is JSON beyond doubt.
    ///
    /// @param most how many bytes there may be
    /// @throws JsonException if there are more, or it is not JSON, says something twice, or holds
    /// numbers that are not whole
    public static @Nullable Object read(byte[] utf8, int most) {
        return JsonReader.read(utf8, most, JsonReader.Numbers.WHOLE);
    }

    private void append(@Nullable Object value) {
        // A switch over types would have to be linked at each start.
        if (value == null || value instanceof Boolean) {
            out.append(value);
        } else if (value instanceof String text) {
            quote(text);
        } else if (value instanceof Number number) {
            number(number);
        } else if (value instanceof JsonReader.Decimal decimal && !canonical) {
            out.append(decimal.text());
        } else if (value instanceof Map<?, ?> map) {
            map(map);
        } else if (value instanceof List<?> list) {
            list(list);
        } else {
            throw new IllegalArgumentException("not JSON: " + value.getClass());
        }
    }

    private void list(List<?> list) {
        out.append('[');
        String separator = "";
        for (var item : list) {
            out.append(separator);
            append(item);
            separator = canonical ? "," : ", ";
        }
        out.append(']');
    }

    private void map(Map<?, ?> map) {
        var names = map.keySet().toArray();
        if (canonical) {
            Arrays.sort(names); // by 16-bit units, as the standard wants
        }
        out.append('{');
        String separator = "";
        for (var name : names) {
            out.append(separator);
            quote(String.valueOf(name));
            out.append(canonical ? ":" : ": ");
            append(map.get(name));
            separator = canonical ? "," : ", ";
        }
        out.append('}');
    }

    private void number(Number number) {
        if (canonical) {
            boolean whole = number instanceof Long || number instanceof Integer;
            if (!whole || number.longValue() > MOST || number.longValue() < -MOST) {
                throw new IllegalArgumentException("no canonical form for the number " + number);
            }
        }
        out.append(number);
    }

    private void quote(String text) {
        out.append('"');
        int written = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= ' ' && c <= '~' && c != '"' && c != '\\') {
                continue; // most are so, and are written together
            }
            out.append(text, written, i);
            written = i + 1;
            switch (c) {
                case '"', '\\' -> out.append('\\').append(c);
                case '\b' -> out.append("\\b");
                case '\t' -> out.append("\\t");
                case '\n' -> out.append("\\n");
                case '\f' -> out.append("\\f");
                case '\r' -> out.append("\\r");
                default -> {
                    if (c < ' ' || !canonical) {
                        out.append("\\u").append(HexFormat.of().toHexDigits(c));
                    } else if (!Character.isSurrogate(c)) {
                        out.append(c);
                    } else {
                        i = pair(text, i);
                        written = i + 1;
                    }
                }
            }
        }
        out.append(text, written, text.length()).append('"');
    }

    private int pair(String text, int i) {
        if (i + 1 == text.length()
                || !Character.isSurrogatePair(text.charAt(i), text.charAt(i + 1))) {
            throw new IllegalArgumentException("no canonical form for text that is not Unicode");
        }
        out.append(text, i, i + 2);
        return i + 1;
    }
}
