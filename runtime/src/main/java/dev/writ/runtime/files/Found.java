// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.files;

import java.util.List;

/// What was found, and whether that is all.
///
/// @param cut why the search ended early; empty if it did not
/// @param refused how many files and folders were left out because they must not be read
public record Found<T>(List<T> hits, String cut, long refused) {
    public Found {
        hits = List.copyOf(hits);
    }
}
