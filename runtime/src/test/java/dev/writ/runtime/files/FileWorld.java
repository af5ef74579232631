// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.files;

import dev.writ.backends.process.ProcessBackend;
import dev.writ.core.audit.AuditEvent;
import dev.writ.core.broker.Approver;
import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Effect;
import dev.writ.runtime.Config;
import dev.writ.runtime.Session;
import dev.writ.runtime.Writ;
import dev.writ.runtime.policy.PolicyLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// A folder to work in, another one beside it, and a session that may start nothing.
final class FileWorld implements AutoCloseable {
    static final String CANARY = "Canary";

    final Path workspace;
    final Path outside;
    final Session session;

    /// @param rules such as `deny read:./x`
    FileWorld(Path temporary, Approver approver, String... rules) throws IOException {
        var real = temporary.toRealPath();
        workspace = Files.createDirectories(real.resolve("work"));
        outside = Files.createDirectories(real.resolve("work-evil"));
        Files.writeString(outside.resolve("secret"), CANARY);
        var here = FilePath.of(workspace.toString());
        var config = Config.of(workspace, Map.of("PATH", "/usr/bin:/bin", "HOME", "/nowhere"));
        var loader = new PolicyLoader(config.scope(here), config.ownFolders());
        for (var rule : rules) {
            int space = rule.indexOf(' ');
            var effect =
                    Effect.valueOf(rule.substring(0, space).toUpperCase(java.util.Locale.ROOT));
            loader.rule(effect, rule.substring(space + 1), here);
        }
        session =
                new Writ(Map.of(), new ProcessBackend(), approver, Set.of())
                        .open(loader.load(), here);
    }

    FileWorld(Path temporary, String... rules) throws IOException {
        this(temporary, Approver.nobody(), rules);
    }

    SessionFiles files() {
        return session.files();
    }

    Path file(String name, String text) throws IOException {
        var file = workspace.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    String text(String name) throws IOException {
        return Files.readString(workspace.resolve(name));
    }

    /// What was judged, such as `+ read:/x`.
    List<String> judged() {
        var all = new ArrayList<String>();
        for (var event : session.events()) {
            if (event instanceof AuditEvent.Judged judged) {
                String action = judged.action().text(session.policy().scope());
                all.add((judged.permitted() ? "+ " : "- ") + action);
            }
        }
        return all;
    }

    @Override
    public void close() {
        session.close();
    }
}
