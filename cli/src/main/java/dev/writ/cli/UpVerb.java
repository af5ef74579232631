// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.capability.Text;
import dev.writ.core.file.Reason;
import dev.writ.daemon.Daemon;
import dev.writ.kernel.Kernel;
import dev.writ.trust.file.HeldException;
import dev.writ.trust.file.WholeFile;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/// Starts the daemon.
final class UpVerb implements Verb {
    private static final Option FOREGROUND =
            Option.flag("foreground", "stay in this terminal, or under systemd");
    private static final Option DETACHED = Option.flag("detached", "used by `up` itself");
    private static final Option TCP =
            new Option("tcp", "PORT", "listen on this port of 127.0.0.1, too, with a token");
    private static final Option SYSTEMD =
            Option.flag("systemd", "print a unit for `systemctl --user`, and start nothing");
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int LAST_LINES = 5;

    @Override
    public Manual manual() {
        return new Manual(
                "up",
                "start the daemon: an API for SDKs and coding agents",
                "[--foreground] [--tcp PORT]",
                List.of(
                        "writ up",
                        "writ up --tcp 7777",
                        "writ up --systemd > ~/.config/systemd/user/writ.service"),
                List.of(FOREGROUND, DETACHED, TCP, SYSTEMD, Option.JSON));
    }

    @Override
    public int run(Arguments arguments, World world) {
        arguments.refuseCommand();
        try {
            if (arguments.has(SYSTEMD)) {
                world.out().print(unit(world));
                return ExitCode.OK;
            }
            return arguments.has(FOREGROUND) ? serve(arguments, world) : start(arguments, world);
        } catch (IOException e) {
            throw new UncheckedIOException("the daemon could not be started: " + Reason.of(e), e);
        }
    }

    private static String unit(World world) {
        return """
                [Unit]
                Description=Writ, a capability broker and sandbox runtime for AI agents

                [Service]
                ExecStart=%s up --foreground
                Restart=on-failure
                KillMode=mixed
                TimeoutStopSec=30

                [Install]
                WantedBy=default.target
                """
                .formatted(String.join(" ", world.launcher()));
    }

    private static OptionalInt port(Arguments arguments) {
        var port = arguments.value(TCP);
        return port.isEmpty() ? OptionalInt.empty() : port(TCP, port.get());
    }

    static OptionalInt port(Option option, String port) {
        try {
            int number = Integer.parseInt(port);
            if (number >= 0 && number < 65536) {
                return OptionalInt.of(number);
            }
        } catch (NumberFormatException e) {
            // said below
        }
        String flag = "--" + option.name();
        throw new UsageException("`" + flag + "` needs a port, or 0 for any: `" + flag + " 7777`");
    }

    /// Is the daemon, until somebody wants it to end.
    private static int serve(Arguments arguments, World world) throws IOException {
        if (arguments.has(DETACHED)) {
            try (var kernel = new Kernel()) {
                kernel.leaveTerminal();
            }
        }
        var settings =
                new Daemon.Settings(
                        world.config(),
                        world.variables(),
                        VersionVerb::version,
                        world.launcher().getFirst(),
                        port(arguments));
        try (var daemon = Daemon.start(settings)) {
            for (var signal : List.of("INT", "TERM", "HUP")) {
                Signals.on(signal, daemon::end);
            }
            daemon.notices().forEach(n -> world.err().println("writ: " + Text.shown(n)));
            world.err().println("writ: listening on " + world.config().socket());
            world.err().flush();
            daemon.await();
        } catch (HeldException e) {
            throw new UsageException("a daemon runs already; `writ status` shows it");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return ExitCode.OK;
    }

    /// Starts one that outlives this process, and waits until it answers.
    private static int start(Arguments arguments, World world) throws IOException {
        var port = port(arguments);
        if (DaemonState.of(world).isPresent()) {
            return StatusVerb.show(arguments, world, "runs already");
        }
        var state = Path.of(world.config().state().toString());
        WholeFile.privateFolder(state);
        var log = state.resolve("daemon.log");
        make(log);
        var words = new ArrayList<>(world.launcher());
        words.addAll(List.of("up", "--foreground", "--detached"));
        port.ifPresent(p -> words.add("--tcp=" + p));
        var process =
                new ProcessBuilder(words)
                        .directory(state.toFile())
                        .redirectInput(Redirect.from(new File("/dev/null")))
                        .redirectOutput(Redirect.appendTo(log.toFile()))
                        .redirectError(Redirect.appendTo(log.toFile()))
                        .start();
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() < end) {
            if (DaemonState.of(world).isPresent()) {
                return StatusVerb.show(arguments, world, "started");
            }
            // Another `up` may have been faster: then its daemon answers soon.
            if (!process.isAlive() && process.exitValue() != ExitCode.CANNOT_START) {
                break;
            }
            if (!process.isAlive() && !runsAlready(log)) {
                break;
            }
            DaemonState.pause();
        }
        throw new UsageException("the daemon did not start; from " + log + ": " + last(log));
    }

    private static void make(Path log) throws IOException {
        try {
            Files.createFile(
                    log,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------")));
        } catch (FileAlreadyExistsException e) {
            // by an earlier daemon, or by another `up` at this moment
        }
    }

    private static boolean runsAlready(Path log) throws IOException {
        return last(log).contains("a daemon runs already");
    }

    private static String last(Path log) throws IOException {
        var lines = Files.readAllLines(log);
        return Text.shown(
                String.join(
                        " | ",
                        lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size())));
    }
}
