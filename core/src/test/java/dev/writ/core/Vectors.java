// SPDX-License-Identifier: Apache-2.0
package dev.writ.core;

import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/// The shared vectors, read as what JSON is: YAML.
public final class Vectors {
    private final Map<String, Object> file;

    private Vectors(Map<String, Object> file) {
        this.file = file;
    }

    @SuppressWarnings("unchecked") // the shape of our own files
    public static Vectors read(String name) {
        try {
            var text = Files.readString(Path.of("..", "vectors", name));
            var settings = LoadSettings.builder().setCodePointLimit(1 << 24).build();
            return new Vectors((Map<String, Object>) new Load(settings).loadFromString(text));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @SuppressWarnings("unchecked")
    public List<Map<String, Object>> cases() {
        return (List<Map<String, Object>>) field(file, "cases");
    }

    @SuppressWarnings("unchecked")
    public Scope scope() {
        var scope = (Map<String, Object>) field(file, "scope");
        var programs = (List<String>) field(scope, "programs");
        return new Scope(
                FilePath.of(text(scope, "base")),
                FilePath.of(text(scope, "home")),
                programs.stream().map(FilePath::of).toList());
    }

    public List<String> guards() {
        return texts(file, "guards");
    }

    public static String text(Map<String, Object> map, String key) {
        return (String) field(map, key);
    }

    @SuppressWarnings("unchecked")
    public static List<String> texts(Map<String, Object> map, String key) {
        return (List<String>) map.getOrDefault(key, List.of());
    }

    private static Object field(Map<String, Object> map, String key) {
        var value = map.get(key);
        if (value == null) {
            throw new AssertionError("no `" + key + "` in " + map);
        }
        return value;
    }
}
