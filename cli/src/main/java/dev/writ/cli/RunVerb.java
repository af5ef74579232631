// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.backends.process.ProcessBackend;
import dev.writ.core.audit.AuditLog;
import dev.writ.core.audit.SessionId;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Text;
import dev.writ.core.file.Reason;
import dev.writ.core.policy.Policy;
import dev.writ.core.sandbox.Sandbox;
import dev.writ.core.sandbox.SandboxSpec.Streams;
import dev.writ.kernel.Kernel;
import dev.writ.runtime.Session;
import dev.writ.runtime.SessionNames;
import dev.writ.runtime.SessionToken;
import dev.writ.runtime.Writ;
import dev.writ.runtime.record.Installation;
import dev.writ.runtime.record.SessionRecord;
import dev.writ.trust.key.SigningKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// Runs a command under a policy.
final class RunVerb implements Verb {
    private static final int SIGHUP = 1;
    private static final int SIGINT = 2;
    private static final int SIGTERM = 15;
    private static final int SIGCONT = 18;

    private static final Option CWD = new Option("cwd", "DIR", "start the command in this folder");
    private static final Option WORKSPACE =
            new Option(
                    "workspace",
                    "DIR",
                    "take the policy of this folder, and start here all the same");
    private static final Option VERBOSE =
            Option.flag("verbose", "say what is refused at once (also -v)");
    private static final Option JSON =
            new Option("json", "FILE", "write every event there, one line each");
    private static final Option ATTEST =
            new Option("attest", "FILE", "write the signed attestation of the run there");

    @Override
    public Manual manual() {
        return new Manual(
                "run",
                "run a command, confined by the policy of this folder",
                "[FLAGS] -- COMMAND [ARGUMENT...]",
                List.of(
                        "writ run -- ls -l",
                        "writ run --deny exec:curl --ask 'exec:git push' -- ./agent.sh"),
                PolicyOptions.and(
                        CWD,
                        WORKSPACE,
                        VERBOSE,
                        JSON,
                        ATTEST,
                        TokenOptions.TOKEN,
                        TokenOptions.HOLDER,
                        TokenMaking.KEY,
                        NameOptions.RESOLVE,
                        BackendOptions.BACKEND,
                        BackendOptions.ACCEPT_WEAKER));
    }

    @Override
    public int run(Arguments arguments, World world) {
        ProcessBackend.prepare(SigningKey::prepare);
        var command = arguments.command();
        if (command.isEmpty() || !arguments.words().isEmpty()) {
            throw new UsageException("the command goes after `--`: `writ run -- ls -l`");
        }
        var folder = folder(CWD, arguments, world);
        return run(arguments, command, folder, world.at(folder(WORKSPACE, arguments, world)));
    }

    static Path folder(Option option, Arguments arguments, World world) {
        var folder =
                arguments
                        .value(option)
                        .map(d -> PolicyOptions.path(d, world))
                        .orElse(world.folder())
                        .toAbsolutePath()
                        .normalize();
        if (!Files.isDirectory(folder)) {
            throw new UsageException("no such folder: `" + Text.shown(folder.toString()) + "`");
        }
        return folder;
    }

    private static int run(Arguments arguments, List<String> command, Path folder, World world) {
        var loaded = PolicyOptions.load(arguments, world);
        // ORDER: before anything runs that could put a link there, and by the policy that earlier
        // runs had.
        var json = given(JSON, arguments, loaded, world);
        var attest = given(ATTEST, arguments, loaded, world);
        var given = json.map(f -> f.keptBy(loaded, "--json")).orElse(loaded);
        var id = SessionNames.next();
        var token = TokenOptions.present(arguments, id, given, world);
        var policy = token.map(SessionToken::policy).orElse(given);
        PolicyOptions.notice(arguments, world).ifPresent(n -> world.err().println("writ: " + n));
        var asking = Asking.about(policy, arguments, world);
        try (var report = new RunReport(policy, asking.world(), arguments.has(VERBOSE))) {
            json.ifPresent(report::writeTo);
            var writ = BackendOptions.writ(arguments, policy, asking.approver(), world);
            var here = FilePath.of(folder.toString());
            var record = record(id, world);
            String source = PolicyOptions.source(arguments, world);
            var log = AuditLog.both(record, report);
            int code;
            try (var _ = record;
                    var session = open(writ, policy, token, here, id, source, log)) {
                code = run(session, command, asking.terminal(), world);
            }
            installation(world)
                    .finishOthers(VersionVerb::version)
                    .forEach(p -> world.err().println("writ: " + Text.shown(p)));
            attest.ifPresent(f -> hand(record, f));
            return code;
        }
    }

    private static Optional<GivenFile> given(
            Option option, Arguments arguments, Policy policy, World world) {
        return arguments
                .value(option)
                .map(f -> GivenFile.open(PolicyOptions.path(f, world), policy));
    }

    private static Session open(
            Writ writ,
            Policy policy,
            Optional<SessionToken> token,
            FilePath folder,
            SessionId id,
            String source,
            AuditLog log) {
        return token.isPresent()
                ? writ.open(token.get(), folder, source, log)
                : writ.open(policy, folder, id, source, log);
    }

    private static SessionRecord record(SessionId id, World world) {
        return new SessionRecord(installation(world), id, VersionVerb::version);
    }

    private static Installation installation(World world) {
        return new Installation(Path.of(world.config().state().toString()));
    }

    /// Writes a copy of the attestation to where somebody wants it.
    private static void hand(SessionRecord record, GivenFile file) {
        var bundle =
                record.attestation()
                        .orElseThrow(
                                () -> new UsageException("nothing ran, so nothing is attested"));
        try {
            file.write(bundle);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "the attestation could not be written where it was wanted (it is in the record): "
                            + Reason.of(e),
                    e);
        }
    }

    private static int run(
            Session session,
            List<String> command,
            Optional<OperatorTerminal> terminal,
            World world) {
        var program = session.program(command.getFirst(), session.folder());
        var refusal = session.refusal(program, command.subList(1, command.size()));
        if (refusal.isPresent()) {
            world.err()
                    .println(
                            "writ: denied: `"
                                    + Text.shown(String.join(" ", command))
                                    + "`: "
                                    + refusal.get().line());
            return ExitCode.DENIED;
        }
        return start(session, program, command, terminal, world);
    }

    private static int start(
            Session session,
            FilePath program,
            List<String> command,
            Optional<OperatorTerminal> terminal,
            World world) {
        try (var kernel = new Kernel()) {
            kernel.endOnQuit();
        }
        if (terminal.isEmpty()) {
            try (var sandbox = session.start(program, command, Streams.INHERITED)) {
                return attend(sandbox);
            }
        }
        if (TerminalRelay.isPossible()) {
            try (var sandbox = session.start(program, command, Streams.TERMINAL);
                    var _ = TerminalRelay.start(sandbox, terminal.get(), world)) {
                passOn(sandbox);
                return await(sandbox);
            }
        }
        try (var sandbox = session.start(program, command, PipeRelay.streams());
                var _ = PipeRelay.start(sandbox, terminal.get(), world)) {
            return attend(sandbox);
        }
    }

    /// Stops and goes on with the command where a shell wants that, and waits for its end.
    private static int attend(Sandbox sandbox) {
        Suspension.whenTold(sandbox, () -> suspend(sandbox));
        passOn(sandbox);
        return await(sandbox);
    }

    /// Signals to Writ are meant for the command.
    private static void passOn(Sandbox sandbox) {
        Signals.on("INT", () -> sandbox.signal(SIGINT));
        Signals.on("TERM", () -> sandbox.signal(SIGTERM));
        Signals.on("HUP", () -> sandbox.signal(SIGHUP));
    }

    /// The command has stopped: so do we, and when the shell lets us go on, so does it.
    private static void suspend(Sandbox sandbox) {
        try (var kernel = new Kernel()) {
            kernel.stopThisProcess();
        }
        sandbox.signal(SIGCONT);
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
