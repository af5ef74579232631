// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.capability.FilePath;
import java.util.function.Function;
import java.util.function.Predicate;

/// What a plan has to know about this machine.
///
/// @param landlock the version of Landlock; 0 if there is none
/// @param notifications whether calls can be held and answered
/// @param kinds what lies at a path
/// @param ofOneCase whether upper and lower case make no difference in a folder
record Facts(
        int landlock,
        boolean notifications,
        Function<FilePath, Kind> kinds,
        Predicate<FilePath> ofOneCase) {
    /// What lies at a path.
    enum Kind {
        FOLDER,
        FILE,
        DEVICE,
        MISSING
    }
}
