// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.policy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;

/// Whose files are whose.
final class Owners {
    private static final int ROOT = 0;

    /// The kernel shows a process its own user here, whatever the environment says.
    private static final Path SELF = Path.of("/proc/self");

    private Owners() {}

    /// Whether `file`, or what it links to, belongs neither to root, nor to who runs this, nor to
    /// who owns the folder that they chose to work in: whoever makes a link chooses among the files
    /// of others. What cannot be told belongs to a stranger.
    static boolean isStranger(Path file, Path folder) {
        try {
            var known = List.of(ROOT, owner(SELF), owner(folder));
            return !known.contains(owner(file)) || !known.contains(ownerItself(file));
        } catch (IOException | UnsupportedOperationException e) {
            return true;
        }
    }

    /// Whether `file` itself, not what it links to, belongs to who runs this.
    static boolean isOwn(Path file) throws IOException {
        return ownerItself(file) == owner(SELF);
    }

    private static int ownerItself(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }

    private static int owner(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:uid");
    }
}
