// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.files;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.writ.core.capability.Text;
import dev.writ.core.file.FileException;
import dev.writ.core.file.FileException.Kind;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What pax says about the next entry: lines of a length, a name and a value.
final class PaxFields {
    private final Map<String, String> fields = new HashMap<>();

    PaxFields(String text) {
        byte[] bytes = Text.bytes(text);
        int at = 0;
        while (at < bytes.length) {
            int space = at;
            while (space < bytes.length && space - at < 8 && bytes[space] != ' ') {
                space++;
            }
            int length = length(new String(bytes, at, space - at, US_ASCII));
            if (length <= space - at + 2
                    || length > bytes.length - at
                    || bytes[at + length - 1] != '\n') {
                throw broken();
            }
            String field = Text.of(Arrays.copyOfRange(bytes, space + 1, at + length - 1));
            int equals = field.indexOf('=');
            if (equals < 0) {
                throw broken();
            }
            fields.put(field.substring(0, equals), field.substring(equals + 1));
            at += length;
        }
    }

    private static int length(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw broken();
        }
    }

    private static FileException broken() {
        return new FileException(Kind.INVALID, "not a field of pax in a tar archive");
    }

    @Nullable String get(String name, @Nullable String otherwise) {
        var value = fields.get(name);
        return value == null ? otherwise : value;
    }

    boolean hasSome(String prefix) {
        return fields.keySet().stream().anyMatch(name -> name.startsWith(prefix));
    }

    /// One field as it is written.
    static String field(String name, String value) {
        int rest = name.length() + Text.bytes(value).length + 3;
        int length = rest;
        while (length != rest + String.valueOf(length).length()) {
            length = rest + String.valueOf(length).length();
        }
        return length + " " + name + "=" + value + "\n";
    }
}
