// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.files;

import dev.writ.core.file.FileAccess;
import dev.writ.core.file.FileException;
import dev.writ.core.file.FileException.Kind;
import dev.writ.core.file.FileStatus;
import dev.writ.core.file.OpenFolder;
import dev.writ.core.file.Spot;

/// Goes through everything below a folder, by handles: no link is followed, whoever puts one there
/// meanwhile. Folders that must not be read are left out.
final class Descent {
    private static final int DEEPEST = 64;

    private final FileAccess access;
    private final Hits<?> hits;

    Descent(FileAccess access, Hits<?> hits) {
        this.access = access;
        this.hits = hits;
    }

    /// What is done with each.
    interface Visit {
        /// @param path seen from where it began
        /// @param spot where it lies
        /// @return whether to go into it, if it is a folder
        boolean at(String path, OpenFolder.Entry entry, Spot spot);
    }

    /// Everything below `top`, folders before what is in them, in the order of names.
    ///
    /// @throws FileException if that is no folder, or must not be read
    void each(Spot top, Visit visit) {
        try (var folder = hits.patiently(() -> access.folder(top))) {
            each(folder, "", 1, visit);
        }
    }

    private void each(OpenFolder folder, String path, int depth, Visit visit) {
        for (var entry : SessionFiles.entries(folder, SessionFiles.shown(path))) {
            if (!hits.visit()) {
                return;
            }
            String below = path.isEmpty() ? entry.name() : path + "/" + entry.name();
            var spot = folder.at(entry.name());
            if (visit.at(below, entry, spot) && entry.type() == FileStatus.Type.FOLDER) {
                if (depth == DEEPEST) {
                    hits.cut("folders are nested more than " + DEEPEST + " deep");
                    return;
                }
                try (var next = hits.patiently(() -> access.folder(spot))) {
                    each(next, below, depth + 1, visit);
                } catch (FileException e) {
                    leaveOut(e);
                }
            }
        }
    }

    /// What is refused, or has just gone or become something else, is left out.
    void leaveOut(FileException e) {
        if (e.kind() == Kind.REFUSED) {
            hits.refuse();
        } else if (e.kind() == Kind.TOO_MUCH || e.kind() == Kind.FAILED) {
            hits.cut(String.valueOf(e.getMessage()));
        }
    }
}
