// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.kernel.Landlock;
import dev.writ.trust.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;

/// Says which Writ this is, and what it runs on.
final class VersionVerb implements Verb {
    @Override
    public Manual manual() {
        return new Manual(
                "version",
                "which Writ this is, and what it runs on",
                "[--json]",
                List.of("writ version"),
                List.of(Option.JSON));
    }

    @Override
    public int run(Arguments arguments, World world) {
        arguments.refuseCommand();
        String java = Runtime.version().toString();
        String system = System.getProperty("os.name") + " " + System.getProperty("os.version");
        String machine = System.getProperty("os.arch", "");
        if (arguments.has(Option.JSON)) {
            var map = new LinkedHashMap<String, Object>();
            map.put("version", version());
            map.put("java", java);
            map.put("system", system);
            map.put("machine", machine);
            map.put("landlock", Landlock.abi());
            world.out().println(Json.write(map));
        } else {
            int landlock = Landlock.abi();
            world.out()
                    .println(
                            "writ "
                                    + version()
                                    + " (Java "
                                    + java
                                    + ", "
                                    + system
                                    + ", "
                                    + machine
                                    + ", Landlock "
                                    + (landlock == 0 ? "not available" : landlock)
                                    + ")");
        }
        return ExitCode.OK;
    }

    static String version() {
        try (var in = VersionVerb.class.getResourceAsStream("version.txt")) {
            if (in == null) {
                throw new IllegalStateException("version.txt is missing");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
