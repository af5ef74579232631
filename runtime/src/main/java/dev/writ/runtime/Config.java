// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/// Every setting that comes from the surroundings, and its default. The only place that reads them.
///
/// @param folder the working directory
/// @param home the operator's home: `$HOME`, else that of the account
/// @param programs the folders of `PATH`
/// @param state where keys, log and records are kept: `$WRIT_HOME`, else `$XDG_STATE_HOME/writ`
/// @param socket the daemon's socket: `$XDG_RUNTIME_DIR/writ/api.sock`, else in `state`
public record Config(
        FilePath folder, FilePath home, List<FilePath> programs, FilePath state, FilePath socket) {
    private static final String DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

    public Config {
        programs = List.copyOf(programs);
    }

    /// The settings of a process in `folder` with these variables.
    public static Config of(Path folder, Map<String, String> variables) {
        var home = home(variables);
        var state =
                absolute(
                        variables.getOrDefault("WRIT_HOME", ""),
                        absolute(
                                        variables.getOrDefault("XDG_STATE_HOME", ""),
                                        home.resolve(".local/state").toString())
                                .resolve("writ")
                                .toString());
        var runtime = variables.getOrDefault("XDG_RUNTIME_DIR", "");
        var socket =
                runtime.startsWith("/") && !variables.containsKey("WRIT_HOME")
                        ? FilePath.of(runtime).resolve("writ/api.sock")
                        : state.resolve("api.sock");
        return new Config(
                FilePath.of(folder.toAbsolutePath().normalize().toString()),
                home,
                programs(variables.getOrDefault("PATH", DEFAULT_PATH)),
                state,
                socket);
    }

    /// What is guarded below it is there whoever starts Writ, and some (cron, a service) do not say
    /// where that is, or say that it is `/`.
    private static FilePath home(Map<String, String> variables) {
        var said = absolute(variables.getOrDefault("HOME", ""), "/");
        return said.equals(FilePath.ROOT)
                ? absolute(System.getProperty("user.home", ""), "/")
                : said;
    }

    /// Where temporary files go.
    static Path temporary(Map<String, String> variables) {
        return Path.of(absolute(variables.getOrDefault("TMPDIR", ""), "/tmp").toString());
    }

    private static FilePath absolute(String path, String otherwise) {
        return FilePath.of(path.startsWith("/") ? path : otherwise);
    }

    /// A relative entry of `PATH` would mean another folder in every folder, so it counts for
    /// nothing.
    private static List<FilePath> programs(String path) {
        var folders = new LinkedHashSet<FilePath>();
        for (var entry : path.split(":")) {
            if (entry.startsWith("/")) {
                folders.add(FilePath.of(entry));
            }
        }
        return new ArrayList<>(folders);
    }

    /// What short forms refer to in a text that stands in `base`.
    public Scope scope(FilePath base) {
        return new Scope(base, home, programs);
    }

    /// Writ's own folders, which every policy guards.
    public List<FilePath> ownFolders() {
        return List.of(state, socket.parent());
    }
}
