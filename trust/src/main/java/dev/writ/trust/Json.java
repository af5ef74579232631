// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Writes JSON, for output only: maps, lists, texts, numbers, booleans and null, on one line.
/// Everything outside printable ASCII is escaped, so that a line stays a line on any terminal.
public final class Json {
    private Json() {}

    public static String write(@Nullable Object value) {
        var out = new StringBuilder();
        append(value, out);
        return out.toString();
    }

    private static void append(@Nullable Object value, StringBuilder out) {
        switch (value) {
            case null -> out.append("null");
            case String text -> quote(text, out);
            case Boolean truth -> out.append(truth);
            case Number number -> out.append(number);
            case Map<?, ?> map -> {
                out.append('{');
                String separator = "";
                for (var entry : map.entrySet()) {
                    out.append(separator);
                    quote(String.valueOf(entry.getKey()), out);
                    out.append(": ");
                    append(entry.getValue(), out);
                    separator = ", ";
                }
                out.append('}');
            }
            case List<?> list -> {
                out.append('[');
                String separator = "";
                for (var item : list) {
                    out.append(separator);
                    append(item, out);
                    separator = ", ";
                }
                out.append(']');
            }
            default -> throw new IllegalArgumentException("not JSON: " + value.getClass());
        }
    }

    private static void quote(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"', '\\' -> out.append('\\').append(c);
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c < 0x20 || c > 0x7E) {
                        out.append(String.format("\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }
}
