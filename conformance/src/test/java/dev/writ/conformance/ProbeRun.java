// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/// One call of `writ probe` and what came of it.
record ProbeRun(int exit, String out, String err) {
    static ProbeRun of(String... arguments) {
        return of(List.of("writ"), arguments);
    }

    static ProbeRun of(List<String> writ, String... arguments) {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        int exit =
                Probe.run(
                        List.of(arguments),
                        writ,
                        System.getenv(),
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        false);
        return new ProbeRun(
                exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /// Skips the test, with the reason, where a probe cannot run.
    static void assumePossible() {
        for (String program : List.of("sh", "python3", "setsid", "rm")) {
            assumeTrue(
                    Files.isExecutable(Path.of("/usr/bin/" + program))
                            || Files.isExecutable(Path.of("/bin/" + program)),
                    program + " is not installed");
        }
    }

    /// The lines of `--json`. JSON is YAML, so that one reader is enough.
    List<Map<?, ?>> lines() {
        var lines = new ArrayList<Map<?, ?>>();
        var settings = LoadSettings.builder().build();
        out.lines().forEach(l -> lines.add((Map<?, ?>) new Load(settings).loadFromString(l)));
        return lines;
    }

    /// The verdict on each case.
    List<String> verdicts() {
        var cases = lines().subList(0, lines().size() - 1);
        return cases.stream().map(l -> String.valueOf(l.get("verdict"))).toList();
    }
}
