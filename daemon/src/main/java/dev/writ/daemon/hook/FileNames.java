// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.hook;

import dev.writ.core.capability.FilePath;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Which files a name may mean that an agent has written. Where agents read it in different ways,
/// all of them count.
final class FileNames {
    /// The kernel takes no longer ones.
    private static final int LONGEST = 4096;

    private FileNames() {}

    /// @param folder where the agent works
    /// @throws EventException if it cannot be told
    static List<FilePath> of(String name, FilePath folder, FilePath home) {
        if (name.isEmpty()
                || name.length() > LONGEST
                || name.contains("://")
                || name.indexOf('\0') >= 0) {
            throw new EventException("this is no name of a file");
        }
        if (Spaces.areAround(name)) {
            throw new EventException("a name that begins or ends with a space is not clear");
        }
        var all = new ArrayList<FilePath>();
        if (name.startsWith("/")) {
            all.add(walk(FilePath.ROOT, name));
        } else {
            all.add(walk(folder, name));
        }
        if (name.equals("~") || name.startsWith("~/")) {
            all.add(walk(home, name.substring(1)));
        } else if (name.startsWith("~")) {
            throw new EventException("the home of somebody else is meant");
        }
        return all;
    }

    /// Some agents take `..` off the name, the kernel goes up from where a link has led. So there
    /// must be no difference.
    private static FilePath walk(FilePath from, String name) {
        var at = from;
        for (var segment : name.split("/")) {
            if (segment.equals("..") && Files.isSymbolicLink(Path.of(at.toString()))) {
                throw new EventException("it goes through a link and back; name it without `..`");
            }
            at = at.resolve(segment);
        }
        return at;
    }
}
