// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp;

import dev.writ.backends.process.ProcessBackend;
import dev.writ.core.capability.FilePath;
import dev.writ.egress.Bounds;
import dev.writ.egress.Outside;
import dev.writ.egress.Resolver;
import dev.writ.runtime.Config;
import dev.writ.runtime.FolderPolicy;
import dev.writ.runtime.Writ;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// A folder with a policy, and the settings of a server there.
///
/// @param roots files with certificates to believe
record Workshop(Path folder, Path project, List<Path> roots) {
    static Workshop in(Path folder, String policy) throws IOException {
        var project = Files.createDirectory(folder.toRealPath().resolve("project"));
        Files.writeString(project.resolve("writ.yaml"), policy);
        return new Workshop(folder.toRealPath(), project, List.of());
    }

    Workshop believing(Path root) {
        return new Workshop(folder, project, List.of(root));
    }

    Settings settings() {
        var variables =
                Map.of(
                        "PATH",
                        "/usr/bin:/bin",
                        "HOME",
                        folder.resolve("home").toString(),
                        "WRIT_HOME",
                        folder.resolve("state").toString(),
                        "API_KEY",
                        "the-real-value-of-it");
        var config = Config.of(project, variables);
        var policy = FolderPolicy.of(config, config.folder());
        var names = Map.of("api.test", List.of(InetAddress.getLoopbackAddress()));
        var outside =
                new Outside(
                        Resolver.giving(names, Resolver.system()),
                        Bounds.DEFAULT,
                        variables,
                        roots);
        return new Settings(
                approver -> new Writ(variables, new ProcessBackend(), approver, Set.of(), outside),
                policy.policy(),
                FilePath.of(project.toString()),
                policy.source(),
                project,
                config.state(),
                Optional.empty(),
                () -> "test");
    }
}
