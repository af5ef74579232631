// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Ends the daemon.
final class DownVerb implements Verb {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Override
    public Manual manual() {
        return new Manual(
                "down",
                "end the daemon, with everything that runs in its sandboxes",
                "",
                List.of("writ down"),
                List.of());
    }

    @Override
    public int run(Arguments arguments, World world) {
        arguments.refuseCommand();
        var state = DaemonState.of(world);
        if (state.isEmpty()) {
            world.out().println("no daemon runs");
            return ExitCode.OK;
        }
        long pid = Long.parseLong(state.get().text("pid"));
        try (var client = DaemonState.connect(world)) {
            client.ask("POST", "/v1/shutdown", "{}");
        } catch (IOException e) {
            // It may be gone before it has answered.
        }
        var process = ProcessHandle.of(pid);
        // The last thing that it does is to remove its socket.
        var socket = Path.of(world.config().socket().toString());
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() < end) {
            if (isGone(process) || !Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
                world.out().println("the daemon has ended");
                return ExitCode.OK;
            }
            DaemonState.pause();
        }
        throw new UsageException("the daemon was told to end and has not; its process is " + pid);
    }

    private static boolean isGone(Optional<ProcessHandle> process) {
        return process.filter(ProcessHandle::isAlive).isEmpty();
    }
}
