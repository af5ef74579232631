// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.file;

import java.util.Optional;

/// Where something is or shall be.
///
/// @param folder where the path begins; without one, at the root
/// @param follow whether a link at its end stands for what it leads to
public record Spot(Optional<OpenFolder> folder, String path, boolean follow) {
    /// What an absolute path leads to.
    public static Spot of(String path) {
        return new Spot(Optional.empty(), path, true);
    }

    /// The same, but a link at its end stands for itself.
    public Spot itself() {
        return new Spot(folder, path, false);
    }
}
