// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.corpus;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A mapping of a case file, read strictly: what is missing, misspelled or of another type stops
/// the load, since a case that is read wrongly would pass.
final class Fields {
    private final String place;
    private final Map<String, Object> values = new LinkedHashMap<>();

    private Fields(String place) {
        this.place = place;
    }

    static Fields of(String place, @Nullable Object value, Collection<String> keys) {
        if (!(value instanceof Map<?, ?> map)) {
            throw new CorpusException(place + ": not a mapping");
        }
        var fields = new Fields(place);
        for (var entry : map.entrySet()) {
            String key = String.valueOf(entry.getKey());
            if (!keys.contains(key)) {
                throw new CorpusException(place + ": unknown key `" + key + "`");
            }
            fields.values.put(key, entry.getValue());
        }
        return fields;
    }

    String text(String key) {
        if (values.get(key) instanceof String text && !text.isBlank()) {
            return text;
        }
        throw new CorpusException(place + ": `" + key + "` must be a text");
    }

    List<String> texts(String key) {
        return list(key).stream().map(v -> text(key, v)).toList();
    }

    List<?> list(String key) {
        return switch (values.get(key)) {
            case null -> List.of();
            case List<?> list -> list;
            default -> throw new CorpusException(place + ": `" + key + "` must be a list");
        };
    }

    <E extends Enum<E>> E choice(String key, Class<E> type) {
        return choice(key, text(key), type);
    }

    <E extends Enum<E>> List<E> choices(String key, Class<E> type) {
        return texts(key).stream().map(t -> choice(key, t, type)).toList();
    }

    private <E extends Enum<E>> E choice(String key, String text, Class<E> type) {
        for (E constant : type.getEnumConstants()) {
            if (spelling(constant).equals(text)) {
                return constant;
            }
        }
        throw new CorpusException(place + ": no such " + key + ": `" + text + "`");
    }

    static String spelling(Enum<?> constant) {
        String name = constant.name();
        return name.equals("X86_64") ? "x86-64" : name.toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private String text(String key, @Nullable Object value) {
        if (value instanceof String text) {
            return text;
        }
        throw new CorpusException(place + ": `" + key + "` must hold texts");
    }
}
