// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.policy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The built-in profiles: short policies to build upon.
public final class Profiles {
    /// What [DefaultPolicy] begins with.
    static final String DEFAULT = "workspace";

    /// What every policy protects. Shown like a profile, but always in force and not to be
    /// extended.
    public static final String GUARDS = "guards";

    private static final List<String> NAMES =
            List.of(
                    "base",
                    "shell-tools",
                    "workspace",
                    "git",
                    "python",
                    "node",
                    "java",
                    "go",
                    "rust",
                    "postgres",
                    "chromium",
                    "claude-code",
                    "codex",
                    "gemini-cli",
                    "copilot-cli");

    /// Where the launcher has put them as files. To find them in a jar takes 8 ms of each start.
    private static final @Nullable String FOLDER = System.getProperty("writ.profiles");

    private Profiles() {}

    public static List<String> names() {
        return NAMES;
    }

    /// The YAML of a profile, as it is shipped.
    public static Optional<String> text(String name) {
        if (!NAMES.contains(name) && !name.equals(GUARDS)) {
            return Optional.empty();
        }
        try {
            String file = name + ".yaml";
            return Optional.of(
                    FOLDER == null ? shipped(file) : Files.readString(Path.of(FOLDER, file)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String shipped(String file) throws IOException {
        try (var in = Profiles.class.getResourceAsStream("profiles/" + file)) {
            if (in == null) {
                throw new IllegalStateException("profile `" + file + "` is listed but not shipped");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /// What messages call the file of a profile.
    public static String place(String name) {
        return "built-in/" + name + ".yaml";
    }

    /// What a profile is for: its first line.
    public static String purpose(String name) {
        return text(name).orElse("").lines().findFirst().orElse("").replaceFirst("^# *", "");
    }
}
