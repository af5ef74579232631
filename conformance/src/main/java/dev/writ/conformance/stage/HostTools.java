// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.stage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// What the host offers to the runner: the programs that probes and their host side find by name,
/// and the operator's variables, of which hardly any are passed on.
///
/// @param folders searched in this order
public record HostTools(List<Path> folders, Map<String, String> variables) {
    private static final List<String> STANDARD =
            List.of("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin");

    public HostTools {
        folders = List.copyOf(folders);
        variables = Map.copyOf(variables);
    }

    /// The standard folders, then those of `PATH`, as far as `account` can get there.
    public static HostTools of(Map<String, String> variables, Account account) {
        String path = variables.getOrDefault("PATH", "");
        Set<Path> folders = new LinkedHashSet<>();
        STANDARD.forEach(f -> folders.add(Path.of(f)));
        for (String folder : path.split(":")) {
            if (folder.startsWith("/")) {
                folders.add(Path.of(folder));
            }
        }
        folders.removeIf(f -> !Files.isDirectory(f) || (account.dropped() && !isOpenToOthers(f)));
        return new HostTools(List.copyOf(folders), variables);
    }

    public Optional<Path> find(String program) {
        return folders.stream()
                .map(f -> f.resolve(program))
                .filter(Files::isExecutable)
                .filter(Files::isRegularFile)
                .findFirst();
    }

    /// A variable of the operator, or nothing.
    String variable(String name) {
        return variables.getOrDefault(name, "");
    }

    public String path() {
        return String.join(":", folders.stream().map(Path::toString).toList());
    }

    private static boolean isOpenToOthers(Path folder) {
        try {
            Path real = folder.toRealPath();
            for (Path p = real; p != null; p = p.getParent()) {
                if (((Integer) Files.getAttribute(p, "unix:mode") & 1) == 0) {
                    return false;
                }
            }
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
