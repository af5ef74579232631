// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.capability.FilePath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// What is mounted where, as proc_pid_mountinfo(5) has it.
final class Mounts {
    private static final String UNKNOWN = "unknown";

    private final List<Mount> all;

    private record Mount(String id, String parent, FilePath place, String type) {}

    private Mounts(List<Mount> all) {
        this.all = all;
    }

    static Mounts ofMachine() {
        try {
            byte[] bytes = Files.readAllBytes(Path.of("/proc/self/mountinfo"));
            return of(Places.text(bytes, 0, bytes.length));
        } catch (IOException e) {
            return new Mounts(List.of());
        }
    }

    static Mounts of(String lines) {
        return new Mounts(lines.lines().map(Mounts::read).toList());
    }

    private static Mount read(String line) {
        var words = line.split(" ", 6);
        int type = line.indexOf(" - ") + 3;
        int end = line.indexOf(' ', type);
        return new Mount(
                words[0],
                words[1],
                FilePath.of(unescaped(words[4])),
                line.substring(type, end < 0 ? line.length() : end));
    }

    private static String unescaped(String place) {
        return place.replace("\\040", " ")
                .replace("\\011", "\t")
                .replace("\\012", "\n")
                .replace("\\134", "\\");
    }

    /// The kind of disk that `path` is on. Goes down from the root as the kernel does: what is
    /// mounted on something that was covered later is not on the way.
    String type(FilePath path) {
        var at = all.stream().filter(m -> all.stream().noneMatch(p -> isOn(m, p))).findFirst();
        var type = UNKNOWN;
        while (at.isPresent()) {
            type = at.get().type;
            at = next(at.get(), path);
        }
        return type;
    }

    /// The first on the way to `path` that is mounted on `on`.
    private Optional<Mount> next(Mount on, FilePath path) {
        return all.stream()
                .filter(m -> isOn(m, on) && path.startsWith(m.place))
                .reduce((a, b) -> b.place.startsWith(a.place) ? a : b);
    }

    private static boolean isOn(Mount mount, Mount other) {
        return mount.parent.equals(other.id) && !mount.id.equals(other.id);
    }
}
