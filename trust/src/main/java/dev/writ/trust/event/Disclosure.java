// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.event;

import dev.writ.core.json.JsonException;
import dev.writ.trust.Json;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What an event commits to and does not say. It is kept apart: deleted, the value is gone for
/// good, and the event is as it was. The salt keeps others from guessing the value.
///
/// @param field which field of the event it belongs to
/// @param salt 16 random bytes
/// @param value as in the JSON form, whole
public record Disclosure(String field, byte[] salt, Object value) {
    static final int SALT = 16;
    private static final int MOST_BYTES = 16 * 1024 * 1024;

    public Disclosure {
        salt = salt.clone();
        if (salt.length != SALT) {
            throw new IllegalArgumentException("a salt has " + SALT + " bytes");
        }
    }

    @Override
    public byte[] salt() {
        return salt.clone();
    }

    /// What stands in the event: SHA-256 of the salt and the canonical value.
    public String commitment() {
        return Value.sha256(salt, Json.canonical(value));
    }

    /// Whether this is what `event` commits to.
    public boolean belongsTo(Event event) {
        return event.get(field) instanceof Map<?, ?> map && commitment().equals(map.get("hidden"));
    }

    /// One line of JSON.
    public String line() {
        var map = new LinkedHashMap<String, Object>();
        map.put("hidden", commitment());
        map.put("field", field);
        map.put("salt", HexFormat.of().formatHex(salt));
        map.put("value", value);
        return Json.write(map);
    }

    /// Reads a line.
    ///
    /// @throws JsonException if it is none, or contradicts itself
    public static Disclosure read(byte[] json) {
        if (Json.read(json, MOST_BYTES) instanceof Map<?, ?> map
                && map.get("field") instanceof String field
                && map.get("salt") instanceof String salt
                && salt.matches("[0-9a-f]{32}")) {
            var value = map.get("value");
            if (value != null) {
                var read = new Disclosure(field, HexFormat.of().parseHex(salt), value);
                if (read.commitment().equals(map.get("hidden"))) {
                    return read;
                }
                throw new JsonException("not a disclosure: salt and value do not give `hidden`");
            }
        }
        throw new JsonException(
                "not a disclosure: `hidden`, `field`, `salt` and `value` are needed");
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Disclosure that
                && field.equals(that.field)
                && Arrays.equals(salt, that.salt)
                && value.equals(that.value);
    }

    @Override
    public int hashCode() {
        return commitment().hashCode();
    }

    /// Without the value, which must not get into a message by accident.
    @Override
    public String toString() {
        return "Disclosure[" + field + ", " + commitment() + "]";
    }
}
