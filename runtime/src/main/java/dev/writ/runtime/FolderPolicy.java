// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Policy;
import dev.writ.runtime.policy.PolicyLoader;
import java.nio.file.Path;
import java.util.Optional;

/// The policy that governs a folder: that of the nearest file, or the default.
///
/// @param source where it came from, for the record
public record FolderPolicy(Policy policy, String source) {
    /// @throws dev.writ.runtime.policy.InvalidPolicyException if there is one that cannot be used
    public static FolderPolicy of(Config config, FilePath folder) {
        var file = PolicyLoader.find(Path.of(folder.toString()));
        var loader = loader(config, folder, file);
        file.ifPresentOrElse(f -> loader.file(f, f.toString()), loader::byDefault);
        return new FolderPolicy(loader.load(), file.map(Path::toString).orElse("the default"));
    }

    /// What reads the policy in `file`: there `.` is its folder; without a file it is `folder`.
    public static PolicyLoader loader(Config config, FilePath folder, Optional<Path> file) {
        var base =
                file.map(f -> FilePath.of(f.toAbsolutePath().normalize().toString()).parent())
                        .orElse(folder);
        return new PolicyLoader(config.scope(base), config.ownFolders());
    }
}
