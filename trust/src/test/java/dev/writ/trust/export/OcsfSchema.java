// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.export;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Holds an event against `ocsf-1.8.txt`: a closed list of names, their types, and which must be
/// there.
final class OcsfSchema {
    private record Attribute(String type, boolean required) {}

    private final Map<String, Map<String, Attribute>> shapes = new HashMap<>();
    private final Map<String, List<String>> headers = new HashMap<>();

    OcsfSchema() throws IOException {
        String text;
        try (var in =
                Objects.requireNonNull(OcsfSchema.class.getResourceAsStream("ocsf-1.8.txt"))) {
            text = new String(in.readAllBytes(), UTF_8);
        }
        Map<String, Attribute> shape = new HashMap<>();
        for (var line : text.lines().filter(l -> !l.startsWith("#")).toList()) {
            var words = List.of(line.strip().split(" "));
            if (line.startsWith(" ")) {
                shape.put(
                        words.get(0), new Attribute(words.get(1), words.get(2).equals("required")));
            } else {
                shape = new HashMap<>();
                shapes.put(words.get(1), shape);
                headers.put(words.get(1), words);
            }
        }
    }

    /// What is wrong with `event`; nothing, if it is as the schema has it.
    List<String> problems(Map<?, ?> event) {
        var problems = new ArrayList<String>();
        String type = String.valueOf(event.get("class_uid"));
        var header = headers.get(type);
        if (header == null) {
            return List.of("unknown class " + type);
        }
        var shape = new HashMap<>(shape("base"));
        shape.putAll(shape(type));
        if (header.size() > 4) {
            shape.putAll(shape("control"));
        }
        check("", event, shape, problems);
        if (!header.get(2).equals(String.valueOf(event.get("category_uid")))) {
            problems.add("category of " + type);
        }
        var activity = String.valueOf(event.get("activity_id"));
        if (!List.of(header.get(3).split(",")).contains(activity)) {
            problems.add("activity " + activity + " of " + type);
        }
        if (event.get("type_uid") instanceof Long uid
                && uid != Long.parseLong(type) * 100 + Long.parseLong(activity)) {
            problems.add("type_uid");
        }
        return problems;
    }

    private Map<String, Attribute> shape(String name) {
        return shapes.getOrDefault(name, Map.of());
    }

    private void check(
            String where, Map<?, ?> map, Map<String, Attribute> shape, List<String> problems) {
        shape.forEach(
                (name, attribute) -> {
                    if (attribute.required && !map.containsKey(name)) {
                        problems.add(where + name + " is missing");
                    }
                });
        map.forEach(
                (key, value) -> {
                    String name = where + key;
                    var attribute = shape.get(key);
                    if (attribute == null) {
                        problems.add(name + " is not in the schema");
                    } else {
                        check(name, value, attribute.type, problems);
                    }
                });
    }

    private void check(String name, @Nullable Object value, String type, List<String> problems) {
        if (type.endsWith("[]") && value instanceof List<?> list) {
            String item = type.substring(0, type.length() - 2);
            list.forEach(i -> check(name + "[]", i, item, problems));
            return;
        }
        boolean right =
                switch (type) {
                    case "json" -> true;
                    case "int", "time" -> value instanceof Long;
                    case "text" -> value instanceof String;
                    default -> value instanceof Map<?, ?> && shapes.containsKey(type);
                };
        if (!right) {
            problems.add(name + " is not " + type);
        } else if (value instanceof Map<?, ?> map && !type.equals("json")) {
            check(name + ".", map, shape(type), problems);
        }
    }
}
