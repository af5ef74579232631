// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.files;

import dev.writ.core.file.FileAccess;
import dev.writ.core.file.FileException;
import dev.writ.core.file.FileException.Kind;
import dev.writ.core.file.Spot;

/// Removes a folder with everything in it, by handles: links are removed, not followed.
record Clearing(FileAccess access) {
    private static final int DEEPEST = 64;

    void remove(Spot spot) {
        remove(spot, 0);
    }

    private void remove(Spot spot, int depth) {
        try {
            access.remove(spot);
        } catch (FileException e) {
            if (e.kind() != Kind.NOT_EMPTY) {
                throw e;
            }
            if (depth == DEEPEST) {
                throw new FileException(
                        Kind.TOO_MUCH, "folders are nested more than " + DEEPEST + " deep");
            }
            try (var folder = access.folder(spot)) {
                for (var entry : SessionFiles.entries(folder, SessionFiles.shown(spot.path()))) {
                    remove(folder.at(entry.name()), depth + 1);
                }
            }
            access.remove(spot);
        }
    }
}
