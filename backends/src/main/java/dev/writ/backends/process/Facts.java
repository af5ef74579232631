// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.capability.FilePath;
import java.util.function.Function;

/// What a plan has to know about this machine.
///
/// @param landlock the version of Landlock; 0 if there is none
/// @param notifications whether calls can be held and answered
/// @param kinds what lies at a path
record Facts(int landlock, boolean notifications, Function<FilePath, Kind> kinds) {
    /// What lies at a path.
    enum Kind {
        FOLDER,
        /// A folder in which upper and lower case make no difference.
        FOLDER_OF_ONE_CASE,
        FILE,
        DEVICE,
        MISSING
    }
}
