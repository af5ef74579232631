// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.attest;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// As much of JSON Schema as our schema uses.
final class SchemaCheck {
    private final Map<?, ?> root;

    SchemaCheck(Map<?, ?> root) {
        this.root = root;
    }

    List<String> problems(Object value) {
        var problems = new ArrayList<String>();
        check("", value, root, problems);
        return problems;
    }

    private void check(String at, @Nullable Object value, Map<?, ?> schema, List<String> problems) {
        for (var keyword : schema.entrySet()) {
            boolean right =
                    switch (String.valueOf(keyword.getKey())) {
                        case "type" -> isType(value, keyword.getValue());
                        case "enum" -> ((List<?>) keyword.getValue()).contains(value);
                        case "pattern" ->
                                String.valueOf(value).matches(String.valueOf(keyword.getValue()));
                        case "minimum" ->
                                !(value instanceof Long n) || n >= (Long) keyword.getValue();
                        case "$ref" -> {
                            check(at, value, map(map(root.get("$defs")).get("value")), problems);
                            yield keyword.getValue().equals("#/$defs/value");
                        }
                        case "items" -> {
                            if (value instanceof List<?> list) {
                                list.forEach(
                                        i ->
                                                check(
                                                        at + "[]",
                                                        i,
                                                        (Map<?, ?>) keyword.getValue(),
                                                        problems));
                            }
                            yield true;
                        }
                        case "required" -> {
                            for (var name : (List<?>) keyword.getValue()) {
                                if (value instanceof Map<?, ?> map && !map.containsKey(name)) {
                                    problems.add(join(at, name) + " is missing");
                                }
                            }
                            yield true;
                        }
                        case "properties" -> {
                            if (value instanceof Map<?, ?> map) {
                                ((Map<?, ?>) keyword.getValue())
                                        .forEach(
                                                (name, inner) -> {
                                                    if (map.containsKey(name)) {
                                                        check(
                                                                join(at, name),
                                                                map.get(name),
                                                                (Map<?, ?>) inner,
                                                                problems);
                                                    }
                                                });
                            }
                            yield true;
                        }
                        case "$schema", "$id", "$defs", "title", "description" -> true;
                        default -> false;
                    };
            if (!right) {
                problems.add(at + ": " + keyword.getKey());
            }
        }
    }

    static Map<?, ?> map(@Nullable Object json) {
        return json instanceof Map<?, ?> map ? map : Map.of();
    }

    private static String join(String at, Object name) {
        return at.isEmpty() ? name.toString() : at + "." + name;
    }

    private static boolean isType(@Nullable Object value, Object type) {
        if (type instanceof List<?> types) {
            return types.stream().anyMatch(t -> isType(value, t));
        }
        return switch (type.toString()) {
            case "object" -> value instanceof Map;
            case "array" -> value instanceof List;
            case "string" -> value instanceof String;
            case "integer" -> value instanceof Long;
            case "boolean" -> value instanceof Boolean;
            default -> false;
        };
    }
}
