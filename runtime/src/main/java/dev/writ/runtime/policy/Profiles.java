// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.policy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

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

    private Profiles() {}

    public static List<String> names() {
        return NAMES;
    }

    /// The YAML of a profile, as it is shipped.
    public static Optional<String> text(String name) {
        if (!NAMES.contains(name) && !name.equals(GUARDS)) {
            return Optional.empty();
        }
        try (var in = Profiles.class.getResourceAsStream("profiles/" + name + ".yaml")) {
            if (in == null) {
                throw new IllegalStateException("profile `" + name + "` is listed but not shipped");
            }
            return Optional.of(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
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
