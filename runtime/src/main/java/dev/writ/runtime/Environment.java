// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Decision;
import dev.writ.core.policy.Policy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/// The variables of a confined program, built from nothing: what the policy grants, and the few
/// that say where the program is.
public final class Environment {
    /// Without these hardly a program starts; none of them is a secret.
    private static final List<String> BASE = List.of("HOME", "LANG", "TERM", "USER");

    private static final String PATH = "PATH";

    /// Folders in the operator's home that tools cannot do without, mostly caches, and the variable
    /// that says where else.
    private static final Map<String, String> CACHES =
            Map.ofEntries(
                    Map.entry("BLACK_CACHE_DIR", ".cache/black"),
                    Map.entry("CCACHE_DIR", ".cache/ccache"),
                    Map.entry("DENO_DIR", ".cache/deno"),
                    Map.entry("GOCACHE", ".cache/go-build"),
                    Map.entry("JUPYTER_CONFIG_DIR", ".jupyter"),
                    Map.entry("PIP_CACHE_DIR", ".cache/pip"),
                    Map.entry("POETRY_CONFIG_DIR", ".config/pypoetry"),
                    Map.entry("PRE_COMMIT_HOME", ".cache/pre-commit"),
                    // Counters of the Go tools, which they keep whatever anybody says.
                    Map.entry("TEST_TELEMETRY_DIR", ".config/go/telemetry"),
                    Map.entry("UV_CACHE_DIR", ".cache/uv"),
                    Map.entry("VIRTUALENV_OVERRIDE_APP_DATA", ".cache/virtualenv"),
                    Map.entry("npm_config_cache", ".npm"));

    /// The JVM asks nobody where temporary files go, and says what it is told here.
    private static final String JAVA = "JAVA_TOOL_OPTIONS";

    private static final FilePath SHARED = FilePath.of("/tmp/file");

    private Environment() {}

    /// What the policy grants of `variables`. One that holds a secret is none of it, whatever the
    /// rules say.
    public static Map<String, String> of(Policy policy, Map<String, String> variables) {
        var granted = new HashMap<String, String>();
        var hidden =
                policy.secrets().stream()
                        .flatMap(s -> s.from().variable().stream())
                        .collect(Collectors.toSet());
        variables.forEach(
                (name, value) -> {
                    var decision = policy.decide(new Action.SeeVariable(name));
                    boolean base = BASE.contains(name) && decision.isUnmatched();
                    if (!hidden.contains(name) && (base || decision instanceof Decision.Allow)) {
                        granted.put(name, value);
                    }
                });
        granted.put(PATH, path(policy));
        return granted;
    }

    /// The variables that lead programs which do not look at `TMPDIR` to `folder`, and those to a
    /// cache that must not be written where it lies.
    static Map<String, String> temporary(Policy policy, FilePath folder) {
        var variables = new HashMap<String, String>();
        variables.put("TMUX_TMPDIR", folder.toString());
        variables.put("SCREENDIR", folder.toString());
        CACHES.forEach(
                (name, place) -> {
                    var cache = policy.scope().home().resolve(place);
                    var write = new Action.WriteFile(cache.resolve("file"));
                    if (policy.decide(write) instanceof Decision.Deny) {
                        variables.put(
                                name, folder.resolve(name.toLowerCase(Locale.ROOT)).toString());
                    }
                });
        if (policy.decide(new Action.SeeVariable(JAVA)) instanceof Decision.Allow
                && policy.decide(new Action.WriteFile(SHARED)) instanceof Decision.Deny) {
            variables.put(JAVA, "-XX:-UsePerfData -Djava.io.tmpdir='" + folder + "'");
        }
        return variables;
    }

    /// What `PWD` says of a program that starts in `folder`: another name for it, if `old` is one.
    static String place(String old, FilePath folder) {
        try {
            return Path.of(old).isAbsolute()
                            && Files.isSameFile(Path.of(old), Path.of(folder.toString()))
                    ? old
                    : folder.toString();
        } catch (IOException | InvalidPathException e) {
            return folder.toString();
        }
    }

    /// Where programs are looked up by name. No folder that the agent can write to: there, a name
    /// would stand for whatever the agent wants.
    private static String path(Policy policy) {
        return policy.scope().programs().stream()
                .filter(
                        folder ->
                                policy.decide(new Action.WriteFile(folder.resolve("program")))
                                        instanceof Decision.Deny)
                .map(FilePath::toString)
                .collect(Collectors.joining(":"));
    }
}
