// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Nearest;
import dev.writ.core.capability.Text;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/// The fields of a request. What is asked for is known; the rest is refused, because a word that
/// counts for nothing may have been meant to forbid something.
public final class Fields {
    private final Map<?, ?> map;

    private Fields(Map<?, ?> map) {
        this.map = map;
    }

    /// @param known all names that there may be
    public static Fields of(@Nullable Object value, List<String> known) {
        if (!(value instanceof Map<?, ?> map)) {
            throw ApiException.invalid("the body must be a JSON object");
        }
        for (var name : map.keySet()) {
            if (!known.contains(String.valueOf(name))) {
                String nearest = Nearest.suggestion(String.valueOf(name), known);
                throw ApiException.invalid(
                        "unknown field `"
                                + Text.shown(String.valueOf(name))
                                + "`; "
                                + (nearest.isEmpty()
                                        ? "known are " + String.join(", ", known)
                                        : nearest));
            }
        }
        return new Fields(map);
    }

    public boolean has(String name) {
        return map.get(name) != null;
    }

    @Nullable Object get(String name) {
        return map.get(name);
    }

    public Optional<String> text(String name) {
        return Optional.ofNullable(map.get(name)).map(v -> text(name, v));
    }

    /// The same for the name of a file: there, U+DC80 to U+DCFF stand for bytes that are not UTF-8.
    public Optional<String> file(String name) {
        return Optional.ofNullable(map.get(name))
                .map(v -> text(name, v, c -> isHalf(c) && (c < 0xDC80 || c > 0xDCFF)));
    }

    private static String text(String name, @Nullable Object value) {
        return text(name, value, Fields::isHalf);
    }

    private static String text(String name, @Nullable Object value, IntPredicate isWrong) {
        if (value instanceof String text) {
            if (text.indexOf('\0') >= 0) {
                throw ApiException.invalid("`" + name + "` must not hold a NUL");
            }
            return whole(name, text, isWrong);
        }
        throw ApiException.invalid("`" + name + "` must be a text");
    }

    /// Half of a surrogate pair has no bytes: it would become something else on the way.
    private static String whole(String where, String value, IntPredicate isWrong) {
        if (value.codePoints().anyMatch(isWrong)) {
            throw ApiException.invalid("`" + where + "` has half of a surrogate pair");
        }
        return value;
    }

    private static boolean isHalf(int c) {
        return c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE;
    }

    public long number(String name, long otherwise, long least, long most) {
        var value = map.get(name);
        if (value == null) {
            return otherwise;
        }
        if (value instanceof Long || value instanceof Integer) {
            long number = ((Number) value).longValue();
            if (number >= least && number <= most) {
                return number;
            }
        }
        throw ApiException.invalid("`" + name + "` must be a number from " + least + " to " + most);
    }

    public boolean is(String name) {
        var value = map.get(name);
        if (value == null || value instanceof Boolean) {
            return Boolean.TRUE.equals(value);
        }
        throw ApiException.invalid("`" + name + "` must be true or false");
    }

    public List<String> texts(String name) {
        if (map.get(name) instanceof List<?> list) {
            var texts = new ArrayList<String>();
            list.forEach(item -> texts.add(text(name, item)));
            return texts;
        }
        throw ApiException.invalid("`" + name + "` must be a list of texts");
    }

    public Map<String, String> map(String name) {
        var value = map.get(name);
        if (value == null) {
            return Map.of();
        }
        if (value instanceof Map<?, ?> given) {
            var texts = new LinkedHashMap<String, String>();
            given.forEach((k, v) -> texts.put(text(name, k), text(name + "." + k, v)));
            return texts;
        }
        throw ApiException.invalid("`" + name + "` must be an object of texts");
    }

    /// Bytes, as `text` or as `base64`; none if neither is there.
    public byte[] bytes(String text, String base64) {
        if (has(text) && has(base64)) {
            throw ApiException.invalid("`" + text + "` and `" + base64 + "` exclude each other");
        }
        var plain = map.get(text);
        if (plain instanceof String some) {
            return whole(text, some, Fields::isHalf).getBytes(UTF_8);
        }
        try {
            return plain == null
                    ? Base64.getDecoder().decode(text(base64).orElse(""))
                    : text(text).orElse("").getBytes(UTF_8);
        } catch (IllegalArgumentException e) {
            throw ApiException.invalid("`" + base64 + "` is not base64");
        }
    }

    /// A path as it is, or seen from `base`.
    public Optional<FilePath> path(String name, Optional<FilePath> base) {
        return text(name)
                .map(
                        path -> {
                            if (path.startsWith("/")) {
                                return FilePath.of(path);
                            }
                            return base.orElseThrow(
                                            () ->
                                                    ApiException.invalid(
                                                            "`" + name + "` must be absolute"))
                                    .resolve(path);
                        });
    }
}
