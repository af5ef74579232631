// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.policy;

import dev.writ.core.capability.Capability;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import dev.writ.core.policy.Effect;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// What holds in a folder without a policy: write here, run what is installed, and the tools of the
/// project that the names in the folder tell of. No network, and nothing of the operator's beyond.
///
/// The agent can make names in the folder, and so choose the tools of the next run. None of them
/// brings it a right to write elsewhere: what a profile writes in the operator's home, other
/// projects run, so that is denied.
public final class DefaultPolicy {
    private static final Map<String, String> PROFILE_OF =
            Map.ofEntries(
                    Map.entry(".git", "git"),
                    Map.entry("pom.xml", "java"),
                    Map.entry("build.gradle", "java"),
                    Map.entry("build.gradle.kts", "java"),
                    Map.entry("package.json", "node"),
                    Map.entry("pyproject.toml", "python"),
                    Map.entry("requirements.txt", "python"),
                    Map.entry("setup.py", "python"),
                    Map.entry("go.mod", "go"),
                    Map.entry("Cargo.toml", "rust"));

    /// Where the system lies; nobody works there.
    private static final Set<String> SYSTEM =
            Set.of(
                    "etc", "usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "boot", "dev",
                    "proc", "sys", "run");

    private final Scope scope;
    private final List<String> profiles;
    private final String danger;

    private DefaultPolicy(Scope scope, List<String> profiles, String danger) {
        this.scope = scope;
        this.profiles = profiles;
        this.danger = danger;
    }

    /// What holds in the folder of `scope`.
    public static DefaultPolicy of(Scope scope) {
        var folder = scope.base();
        String danger = danger(folder, scope.home());
        return new DefaultPolicy(
                scope, danger.isEmpty() ? detect(folder) : List.of("shell-tools"), danger);
    }

    private static List<String> detect(FilePath folder) {
        var found = new TreeMap<Integer, String>();
        PROFILE_OF.forEach(
                (name, profile) -> {
                    var path = Path.of(folder.resolve(name).toString());
                    if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                        found.put(Profiles.names().indexOf(profile), profile);
                    }
                });
        var profiles = new ArrayList<>(List.of(Profiles.DEFAULT));
        profiles.addAll(found.values());
        return List.copyOf(profiles);
    }

    /// Why nobody should be let write everything in `folder`; empty if they may.
    private static String danger(FilePath folder, FilePath home) {
        if (folder.equals(home)) {
            return "is your home";
        }
        if (home.startsWith(folder)) {
            return "holds your home";
        }
        var segments = folder.segments();
        return segments.size() <= 1 || SYSTEM.contains(segments.getFirst())
                ? "belongs to the system"
                : "";
    }

    /// The profiles that it is made of.
    public List<String> profiles() {
        return profiles;
    }

    /// Why it gives no right to the folder, to go after its name; empty if it does.
    public String danger() {
        return danger;
    }

    /// It as a policy file.
    public String text() {
        var text = new StringBuilder("version: 1\n");
        text.append("# `writ profiles show NAME` says what each of them brings.\n");
        text.append("extends: [").append(String.join(", ", profiles)).append("]\n");
        var shared = shared();
        if (!shared.isEmpty()) {
            text.append("deny:\n");
            text.append(
                    "  # What is put there, your other projects run. Remove a line to share it.\n");
            shared.forEach(rule -> text.append("  - ").append(rule).append('\n'));
        }
        return text.toString();
    }

    /// What the profiles would let it write in the operator's home.
    private List<String> shared() {
        var all = written();
        return all.stream()
                .filter(rule -> all.stream().noneMatch(r -> rule.startsWith(r + "/")))
                .toList();
    }

    private List<String> written() {
        return profiles.stream()
                .flatMap(
                        name ->
                                PolicyText.readProfile(
                                        Profiles.text(name).orElseThrow(),
                                        Profiles.place(name),
                                        scope,
                                        new ArrayList<>())
                                        .rules()
                                        .stream())
                .filter(
                        r ->
                                r.effect() == Effect.ALLOW
                                        && r.capability() instanceof Capability.Write)
                .map(r -> r.written())
                .filter(written -> written.startsWith("write:~"))
                .distinct()
                .toList();
    }
}
