// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp.tool;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// JSON Schemas, as far as tools need them.
final class Schema {
    private final Map<String, Object> properties = new LinkedHashMap<>();

    Schema text(String name, String description) {
        return put(name, "string", description, Map.of());
    }

    Schema number(String name, String description) {
        return put(name, "integer", description, Map.of());
    }

    Schema number(String name, long least, long most, String description) {
        return put(name, "integer", description, Map.of("minimum", least, "maximum", most));
    }

    Schema flag(String name, String description) {
        return put(name, "boolean", description, Map.of());
    }

    Schema texts(String name, String description) {
        return put(name, "array", description, Map.of("items", Map.of("type", "string")));
    }

    Schema objects(String name, String description) {
        return put(name, "array", description, Map.of("items", Map.of("type", "object")));
    }

    Schema map(String name, String description) {
        return put(
                name,
                "object",
                description,
                Map.of("additionalProperties", Map.of("type", "string")));
    }

    private Schema put(String name, String type, String description, Map<String, Object> more) {
        var property = new LinkedHashMap<String, Object>();
        property.put("type", type);
        property.put("description", description);
        property.putAll(more);
        properties.put(name, property);
        return this;
    }

    /// The names of the properties that a schema has.
    static String[] names(Map<String, Object> schema) {
        return schema.get("properties") instanceof Map<?, ?> known
                ? known.keySet().toArray(String[]::new)
                : new String[0];
    }

    /// An object of these properties and no others.
    Map<String, Object> requiring(String... names) {
        var schema = new LinkedHashMap<String, Object>();
        schema.put("type", "object");
        schema.put("properties", properties);
        schema.put("required", List.of(names));
        schema.put("additionalProperties", false);
        return schema;
    }
}
