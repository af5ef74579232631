// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.event;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.json.JsonException;
import dev.writ.trust.Json;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// An event as it is written down and read back: the fields of its JSON form. One from a newer Writ
/// may be of a kind or have fields that are not known here; it is kept and shown as it is.
///
/// @param at when
/// @param session in which session
/// @param word which kind, as it is written
/// @param fields all of it
public record Event(Instant at, String session, String word, Map<String, @Nullable Object> fields) {
    /// The version of the form.
    public static final long VERSION = 1;

    /// The most bytes that an event has in its canonical form.
    public static final int MOST_BYTES = 16 * 1024;

    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999999999Z");

    public Event {
        fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
    }

    /// What has just happened.
    ///
    /// @throws DateTimeException if the clock is so wrong that nobody could read it again
    public static Event of(AuditEvent event) {
        if (!isTime(event.at())) {
            throw new DateTimeException(
                    "the clock says " + event.at() + ", which is not a time of these millennia");
        }
        return Form.of(event);
    }

    private static boolean isTime(Instant at) {
        return !at.isBefore(Instant.EPOCH) && !at.isAfter(LATEST);
    }

    /// Reads an event.
    ///
    /// @throws JsonException if it is none
    public static Event read(byte[] json) {
        if (!(Json.read(json, 4 * MOST_BYTES) instanceof Map<?, ?> map)) {
            throw new JsonException("not an event: not a JSON object");
        }
        var fields = new LinkedHashMap<String, @Nullable Object>();
        map.forEach((key, value) -> fields.put(String.valueOf(key), value));
        if (!(fields.get("v") instanceof Long version) || version < 1) {
            throw new JsonException("not an event: `v` must be 1 or more");
        }
        return new Event(time(fields), text(fields, "session"), text(fields, "event"), fields);
    }

    /// The kind; empty if it is not known here.
    public Optional<EventKind> kind() {
        return fields.get("v") instanceof Long version && version == VERSION
                ? EventKind.of(word)
                : Optional.empty();
    }

    /// The bytes that are hashed and signed.
    public byte[] canonical() {
        return Json.canonical(fields);
    }

    /// The value of a field, exactly.
    public @Nullable Object get(String field) {
        return fields.get(field);
    }

    /// A field as text to look at; empty if there is none. Not neutralised.
    public String text(String field) {
        return Value.shown(fields.get(field));
    }

    /// A number; 0 if there is none.
    public long number(String field) {
        return fields.get(field) instanceof Long number ? number : 0;
    }

    /// Whether a field is there and true.
    public boolean is(String field) {
        return Boolean.TRUE.equals(fields.get(field));
    }

    /// A list; empty if there is none.
    public List<?> list(String field) {
        return fields.get(field) instanceof List<?> list ? list : List.of();
    }

    private static String text(Map<String, @Nullable Object> fields, String name) {
        if (fields.get(name) instanceof String text && !text.isEmpty()) {
            return text;
        }
        throw new JsonException("not an event: `" + name + "` must be a text");
    }

    private static Instant time(Map<String, @Nullable Object> fields) {
        try {
            var at = Instant.parse(text(fields, "at"));
            if (!isTime(at)) {
                throw new JsonException("not an event: `at` is not a time of these millennia");
            }
            return at;
        } catch (DateTimeException e) {
            throw new JsonException("not an event: `at` must be a time");
        }
    }
}
