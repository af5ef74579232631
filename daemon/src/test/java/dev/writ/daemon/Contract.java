// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/// `api/openapi.yaml`, and what does not fit it.
final class Contract {
    private static final Set<String> METHODS = Set.of("get", "post", "put", "delete", "patch");

    private final Map<?, ?> root;

    private Contract(Map<?, ?> root) {
        this.root = root;
    }

    static Contract read() {
        try {
            var text = Files.readString(Path.of("..", "api", "openapi.yaml"));
            var settings = LoadSettings.builder().build();
            return new Contract(
                    (Map<?, ?>) Objects.requireNonNull(new Load(settings).loadFromString(text)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Every `GET /path` in it.
    Set<String> operations() {
        var all = new TreeSet<String>();
        map(root.get("paths"))
                .forEach(
                        (path, item) ->
                                map(item).keySet().stream()
                                        .map(String::valueOf)
                                        .filter(METHODS::contains)
                                        .forEach(
                                                m ->
                                                        all.add(
                                                                m.toUpperCase(Locale.ROOT)
                                                                        + " "
                                                                        + path)));
        return all;
    }

    /// What is wrong with an answer.
    List<String> problems(
            String method, String path, int status, String type, @Nullable Object body) {
        var operation =
                map(map(map(root.get("paths")).get(path)).get(method.toLowerCase(Locale.ROOT)));
        var responses = map(operation.get("responses"));
        var response = responses.get(String.valueOf(status));
        if (response == null) {
            response = responses.get("default");
            if (response == null || status < 400) {
                return List.of("status " + status + " is not in the contract");
            }
        }
        var content = map(resolve(response)).get("content");
        if (content == null) {
            return body == null ? List.of() : List.of("a body where there is to be none");
        }
        var media = map(content).get(type);
        if (media == null) {
            return List.of("type " + type + " is not in the contract");
        }
        var problems = new ArrayList<String>();
        if (!type.equals("text/plain")) {
            check(map(media).get("schema"), body, "", problems);
        }
        return problems;
    }

    private void check(
            @Nullable Object schema, @Nullable Object value, String at, List<String> problems) {
        var rule = map(resolve(schema));
        if (rule.get("enum") instanceof List<?> words && !words.contains(value)) {
            problems.add(at + " is none of " + words + ": " + value);
        }
        boolean fits =
                switch (String.valueOf(rule.get("type"))) {
                    case "object" -> value instanceof Map;
                    case "array" -> value instanceof List;
                    case "string" -> value instanceof String;
                    case "integer" -> value instanceof Long;
                    case "boolean" -> value instanceof Boolean;
                    default -> true;
                };
        if (!fits) {
            problems.add(at + " must be " + rule.get("type") + ": " + value);
            return;
        }
        if (value instanceof List<?> list) {
            list.forEach(item -> check(rule.get("items"), item, at + "[]", problems));
        }
        if (value instanceof Map<?, ?> fields && rule.containsKey("properties")) {
            var known = map(rule.get("properties"));
            if (rule.get("required") instanceof List<?> required) {
                required.stream()
                        .filter(r -> !fields.containsKey(r))
                        .forEach(r -> problems.add(at + "." + r + " is missing"));
            }
            fields.forEach(
                    (name, field) -> {
                        if (known.containsKey(name)) {
                            check(known.get(name), field, at + "." + name, problems);
                        } else if (Boolean.FALSE.equals(rule.get("additionalProperties"))) {
                            problems.add(at + "." + name + " is not in the contract");
                        }
                    });
        }
    }

    private @Nullable Object resolve(@Nullable Object node) {
        if (node instanceof Map<?, ?> map && map.get("$ref") instanceof String reference) {
            Object at = root;
            for (var step : reference.substring(2).split("/")) {
                at = Objects.requireNonNull(map(at).get(step), reference);
            }
            return at;
        }
        return node;
    }

    private static Map<?, ?> map(@Nullable Object node) {
        return node instanceof Map<?, ?> map ? map : Map.of();
    }
}
