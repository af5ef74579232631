// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.stage;

import dev.writ.conformance.corpus.Language;
import dev.writ.conformance.corpus.Need;
import dev.writ.conformance.oracle.CanarySecret;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The probe of a stage, ready to be started through a launcher.
///
/// It is a file in the workspace that sets the probe's own variables: a launcher that clears the
/// environment, as a good one does, must not make the probe fail for want of a path.
public final class StagedProbe {
    private static final List<String> PASSED_ON =
            List.of("XDG_RUNTIME_DIR", "JAVA_HOME", "DOCKER_HOST", "TERM");

    private final Stage stage;
    private final Workshop workshop;
    private final Map<String, String> variables;

    StagedProbe(Stage stage, Workshop workshop, Map<String, String> variables) {
        this.stage = stage;
        this.workshop = workshop;
        this.variables = Map.copyOf(variables);
    }

    /// What has to be started by a shell.
    public Path file() {
        return stage.layout().workspace().resolve("start");
    }

    String text() {
        var text = new StringBuilder("#!/bin/sh\n");
        new TreeMap<>(variables)
                .forEach(
                        (k, v) ->
                                text.append("export ")
                                        .append(k)
                                        .append('=')
                                        .append(quote(v))
                                        .append('\n'));
        Language language = stage.test().language();
        String probe = quote(stage.layout().workspace().resolve(language.fileName()).toString());
        text.append("cd \"$WS\" || exit 127\nexec ");
        text.append(language == Language.C ? probe : language.program() + " " + probe);
        return text.append('\n').toString();
    }

    /// The whole command line, in a session of its own: a probe may signal its process group, and
    /// that must not be ours.
    public List<String> command(List<String> launcher) throws IOException {
        var inner = new ArrayList<>(launcher);
        inner.addAll(List.of("/bin/sh", file().toString()));
        var words = new ArrayList<>(List.of("setsid"));
        words.addAll(started(inner));
        return words;
    }

    private List<String> started(List<String> inner) throws IOException {
        Layout layout = stage.layout();
        List<String> start;
        if (stage.test().needs(Need.LEAK)) {
            String port = String.valueOf(stage.leakedPort());
            start = stage.python("start.py", "leak", layout.forbidden().toString(), port, "--");
        } else if (stage.test().needs(Need.PTY)) {
            start = stage.python("start.py", "pty", typed().toString(), shown().toString(), "--");
        } else {
            return workshop.account().command(inner);
        }
        var words = new ArrayList<>(start);
        words.addAll(inner);
        return words;
    }

    /// What waited in the terminal's input.
    public Path typed() {
        return stage.layout().host().resolve("typed");
    }

    /// What was written to the terminal.
    public Path shown() {
        return stage.layout().host().resolve("shown");
    }

    /// The environment of the launcher. Made from scratch: what the operator has in the environment
    /// must not turn up in a report.
    public Map<String, String> environment() {
        var environment = new TreeMap<String, String>();
        for (String name : PASSED_ON) {
            String value = workshop.tools().variable(name);
            if (!value.isEmpty() && !workshop.account().dropped()) {
                environment.put(name, value);
            }
        }
        String secret = stage.secrets().value(CanarySecret.LAUNCHER);
        for (String name : List.of("AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "CC_HOST_ONLY")) {
            environment.put(name, secret);
        }
        environment.put("PATH", workshop.tools().path());
        environment.put(
                "HOME", workshop.account().dropped() ? "/" : workshop.tools().variable("HOME"));
        environment.put("USER", workshop.account().name());
        // Whoever keeps a record of what it ran keeps this one to itself.
        environment.put("WRIT_HOME", stage.layout().host().resolve("record").toString());
        environment.put("LANG", "C.UTF-8");
        environment.put(Marks.VARIABLE, stage.probeMark());
        return environment;
    }

    private static String quote(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }
}
