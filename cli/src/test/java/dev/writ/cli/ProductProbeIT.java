// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.writ.conformance.Probe;
import dev.writ.trust.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The cases of the corpus that use Writ as a person and a program do: the questions it asks, the
/// daemon, and what it makes of its configuration.
class ProductProbeIT {
    @TempDir Path folder;

    @BeforeAll
    static void programs() {
        for (String program : List.of("python3", "bash", "setsid")) {
            assumeTrue(
                    Files.isExecutable(Path.of("/usr/bin/" + program)),
                    program + " is not installed");
        }
    }

    private Map<String, String> verdicts(List<String> launcher, String... target)
            throws IOException {
        var out = new ByteArrayOutputStream();
        var words = new ArrayList<>(List.of("--json", "--time-limit", "60"));
        if ("root".equals(System.getProperty("user.name"))) {
            // Nobody else can read the classes under test.
            words.addAll(List.of("--user", "root"));
        }
        words.addAll(List.of(target));
        words.addAll(List.of("M", "N"));
        var stream = new PrintStream(out, true, UTF_8);
        Probe.run(words, launcher, System.getenv(), stream, stream, false);
        var verdicts = new TreeMap<String, String>();
        for (var line : out.toString(UTF_8).lines().toList()) {
            if (Json.read(line.getBytes(UTF_8), 1 << 20) instanceof Map<?, ?> map
                    && map.get("id") instanceof String id) {
                Object output = map.containsKey("output") ? map.get("output") : "";
                verdicts.put(id, map.get("verdict") + ": " + map.get("detail") + " " + output);
            }
        }
        return verdicts;
    }

    /// Blocked is what a naive product lets happen, and Writ does not: the probe plays both.
    @Test
    void what_a_naive_product_lets_happen_writ_does_not() throws IOException {
        var verdicts =
                verdicts(List.of(LauncherFile.in(folder).toString()), "--backend", "process");

        // A policy that a repository brings is the policy: SECURITY.md says so.
        assertThat(verdicts.remove("cfg-project-policy")).startsWith("escape");
        // Some need root, or namespaces that not every machine has, and say so themselves.
        verdicts.values().removeIf(v -> v.startsWith("skipped: the probe says: "));
        assertThat(verdicts).hasSizeGreaterThan(37);
        verdicts.values().removeIf(v -> v.startsWith("blocked"));
        assertThat(verdicts).as("%s", verdicts).isEmpty();
    }
}
