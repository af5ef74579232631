// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.backends.process.ProcessBackend;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Text;
import dev.writ.core.sandbox.Sandbox;
import dev.writ.core.sandbox.SandboxSpec.Streams;
import dev.writ.runtime.Session;
import java.nio.file.Files;
import java.util.List;

/// Runs a command under a policy.
final class RunVerb implements Verb {
    private static final int SIGHUP = 1;
    private static final int SIGINT = 2;
    private static final int SIGTERM = 15;

    private static final Option CWD = new Option("cwd", "DIR", "start the command in this folder");
    private static final Option VERBOSE =
            Option.flag("verbose", "say what is refused at once (also -v)");
    private static final Option JSON =
            new Option("json", "FILE", "write every verdict there, one line each");

    @Override
    public Manual manual() {
        return new Manual(
                "run",
                "run a command, confined by the policy of this folder",
                "[FLAGS] -- COMMAND [ARGUMENT...]",
                List.of(
                        "writ run -- ls -l",
                        "writ run --profile python -- pytest",
                        "writ run --deny exec:curl --ask 'exec:git push' -- ./agent.sh"),
                PolicyOptions.and(
                        CWD, VERBOSE, JSON, BackendOptions.BACKEND, BackendOptions.ACCEPT_WEAKER));
    }

    @Override
    public int run(Arguments arguments, World world) {
        ProcessBackend.prepare();
        var command = arguments.command();
        if (command.isEmpty() || !arguments.words().isEmpty()) {
            throw new UsageException("the command goes after `--`: `writ run -- ls -l`");
        }
        var folder =
                arguments.value(CWD).map(d -> PolicyOptions.path(d, world)).orElse(world.folder());
        if (!Files.isDirectory(folder)) {
            throw new UsageException("no such folder: `" + Text.shown(folder.toString()) + "`");
        }
        var policy = PolicyOptions.load(arguments, world);
        try (var report = new RunReport(policy, world, arguments.has(VERBOSE))) {
            arguments.value(JSON).ifPresent(f -> report.writeTo(PolicyOptions.path(f, world)));
            var writ = BackendOptions.writ(arguments, policy, world);
            var here = FilePath.of(folder.toAbsolutePath().normalize().toString());
            try (var session = writ.open(policy, here, report)) {
                return run(session, command, world);
            }
        }
    }

    private static int run(Session session, List<String> command, World world) {
        var program = session.find(command.getFirst());
        if (program.isEmpty()) {
            world.err()
                    .println("writ: command not found: `" + Text.shown(command.getFirst()) + "`");
            return ExitCode.NOT_FOUND;
        }
        var refusal = session.refusal(program.get(), command.subList(1, command.size()));
        if (refusal.isPresent()) {
            world.err()
                    .println(
                            "writ: denied: `"
                                    + Text.shown(String.join(" ", command))
                                    + "`: "
                                    + refusal.get().line());
            return ExitCode.DENIED;
        }
        return start(session, program.get(), command, world);
    }

    private static int start(Session session, FilePath program, List<String> command, World world) {
        boolean terminal = TerminalRelay.isPossible();
        var streams = terminal ? Streams.TERMINAL : Streams.INHERITED;
        try (var sandbox = session.start(program, command, streams)) {
            if (terminal) {
                try (var _ = TerminalRelay.start(sandbox, world)) {
                    return await(sandbox);
                }
            }
            passOn(sandbox);
            return await(sandbox);
        }
    }

    /// Signals to Writ are meant for the command.
    private static void passOn(Sandbox sandbox) {
        Signals.on("INT", () -> sandbox.signal(SIGINT));
        Signals.on("TERM", () -> sandbox.signal(SIGTERM));
        Signals.on("HUP", () -> sandbox.signal(SIGHUP));
    }

    private static int await(Sandbox sandbox) {
        while (true) {
            try {
                return sandbox.await();
            } catch (InterruptedException e) {
                sandbox.stop();
            }
        }
    }
}
