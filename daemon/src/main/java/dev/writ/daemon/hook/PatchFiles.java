// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.hook;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// The files that a patch in the form of `apply_patch` changes.
final class PatchFiles {
    private static final List<String> NAMING =
            List.of("*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:");
    private static final List<String> OTHER =
            List.of("*** Begin Patch", "*** End Patch", "*** End of File");

    /// What ends a line to some agents, and to others is part of it.
    private static final Pattern UNCLEAR_END =
            Pattern.compile("[\\r\\x0b\\f\\x1c-\\x1e\\x85\\u2028\\u2029]");

    private PatchFiles() {}

    /// All that may be meant. Agents forgive spaces before a heading, so we take a line for one
    /// that might be part of a file: that judges a name too many, never one too few.
    ///
    /// @throws EventException if it names none, or has a heading that is not known, or not clear
    static List<String> of(String patch) {
        var files = new ArrayList<String>();
        for (var line : patch.split("\r?\n", -1)) {
            var parts = UNCLEAR_END.split(line, -1);
            for (var part : parts) {
                var name = name(part);
                if (name.isPresent() && parts.length > 1) {
                    throw new EventException("it is not clear where a heading of the patch ends");
                }
                name.ifPresent(files::add);
            }
        }
        if (files.isEmpty()) {
            throw new EventException("the patch names no file");
        }
        return files;
    }

    private static Optional<String> name(String line) {
        String heading = Spaces.skip(line);
        var naming = NAMING.stream().filter(heading::startsWith).findFirst();
        if (naming.isEmpty() && line.startsWith("***") && !OTHER.contains(heading.strip())) {
            throw new EventException("the patch has a heading that is not known");
        }
        // Some take one space off the name, others all.
        return naming.map(n -> heading.substring(n.length()))
                .map(n -> n.startsWith(" ") ? n.substring(1) : n);
    }
}
