// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.hook;

import java.util.ArrayList;
import java.util.List;

/// The files that a patch in the form of `apply_patch` changes.
final class PatchFiles {
    private static final List<String> NAMING =
            List.of("*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:");
    private static final List<String> OTHER =
            List.of("*** Begin Patch", "*** End Patch", "*** End of File");

    private PatchFiles() {}

    /// All that may be meant. Agents forgive spaces before a heading, so we take a line for one
    /// that might be part of a file: that judges a name too many, never one too few.
    ///
    /// @throws EventException if it names none, or has a heading that is not known
    static List<String> of(String patch) {
        var files = new ArrayList<String>();
        for (var line : patch.lines().toList()) {
            String heading = line.strip();
            var naming = NAMING.stream().filter(heading::startsWith).findFirst();
            if (naming.isPresent()) {
                files.add(heading.substring(naming.get().length()).strip());
            } else if (line.startsWith("***") && !OTHER.contains(heading)) {
                throw new EventException("the patch has a heading that is not known");
            }
        }
        if (files.isEmpty()) {
            throw new EventException("the patch names no file");
        }
        return files;
    }
}
