// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.stage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The programs that probes and their host side find by name.
///
/// @param folders searched in this order
public record HostTools(List<Path> folders) {
    private static final List<String> STANDARD =
            List.of("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin");

    public HostTools {
        folders = List.copyOf(folders);
    }

    /// The standard folders, then those of `path`, as far as `account` can get there.
    public static HostTools of(String path, Account account) {
        Set<Path> folders = new LinkedHashSet<>();
        STANDARD.forEach(f -> folders.add(Path.of(f)));
        for (String folder : path.split(":")) {
            if (folder.startsWith("/")) {
                folders.add(Path.of(folder));
            }
        }
        folders.removeIf(f -> !Files.isDirectory(f) || (account.dropped() && !isOpenToOthers(f)));
        return new HostTools(List.copyOf(folders));
    }

    public Optional<Path> find(String program) {
        return folders.stream()
                .map(f -> f.resolve(program))
                .filter(Files::isExecutable)
                .filter(Files::isRegularFile)
                .findFirst();
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
