// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.policy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/// Whose files are whose.
final class Owners {
    private static final int ROOT = 0;

    /// The kernel shows a process its own user here, whatever the environment says.
    private static final Path SELF = Path.of("/proc/self");

    private Owners() {}

    /// Whether `file` belongs neither to root, nor to who runs this, nor to who owns the folder
    /// that they chose to work in. What cannot be told belongs to a stranger.
    static boolean isStranger(Path file, Path folder) {
        try {
            int owner = owner(file);
            return owner != ROOT && owner != owner(SELF) && owner != owner(folder);
        } catch (IOException | UnsupportedOperationException e) {
            return true;
        }
    }

    /// Whether `file` itself, not what it links to, belongs to who runs this.
    static boolean isOwn(Path file) throws IOException {
        int owner = (int) Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        return owner == owner(SELF);
    }

    private static int owner(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:uid");
    }
}
