// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import java.util.List;

/// What the short forms of the language refer to.
///
/// @param base where `.` is: the folder of the policy file, or the working directory
/// @param home where `~` is: the operator's home
/// @param programs where bare program names are looked up: the folders of the operator's `PATH`
public record Scope(FilePath base, FilePath home, List<FilePath> programs) {
    /// Nothing is short for anything: what is written so means the same everywhere.
    public static final Scope SPELLED_OUT = new Scope(FilePath.ROOT, FilePath.ROOT, List.of());

    public Scope {
        programs = List.copyOf(programs);
    }

    /// The same scope for a text that stands in `folder`.
    public Scope at(FilePath folder) {
        return new Scope(folder, home, programs);
    }
}
