// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.trust.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Says whether the daemon runs.
final class StatusVerb implements Verb {
    @Override
    public Manual manual() {
        return new Manual(
                "status",
                "whether the daemon runs, since when, and with how many sandboxes",
                "[--json]",
                List.of("writ status", "writ status --json"),
                List.of(Option.JSON));
    }

    @Override
    public int run(Arguments arguments, World world) {
        arguments.refuseCommand();
        return show(arguments, world, "runs");
    }

    /// Says that the daemon does what `word` says.
    static int show(Arguments arguments, World world, String word) {
        var state = DaemonState.of(world);
        boolean json = arguments.has(Option.JSON);
        if (state.isEmpty()) {
            world.out()
                    .println(
                            json
                                    ? Json.write(Map.of("running", false))
                                    : "no daemon runs; `writ up` starts one");
            return ExitCode.DIFFERENT;
        }
        var daemon = state.get();
        if (json) {
            var fields = new LinkedHashMap<>(daemon.fields());
            fields.put("running", true);
            world.out().println(Json.write(fields));
            return ExitCode.OK;
        }
        world.out()
                .println(
                        "the daemon "
                                + word
                                + ": writ "
                                + daemon.text("version")
                                + ", process "
                                + daemon.text("pid")
                                + ", since "
                                + daemon.text("since"));
        world.out()
                .println(
                        daemon.text("sandboxes")
                                + " sandboxes, "
                                + daemon.text("processes")
                                + " processes");
        world.out().println("socket: " + daemon.text("socket"));
        if (daemon.fields().containsKey("tcp")) {
            world.out()
                    .println(
                            "address: "
                                    + daemon.text("tcp")
                                    + ", with the token in "
                                    + daemon.text("token_file"));
        }
        return ExitCode.OK;
    }
}
