// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.SessionId;
import dev.writ.core.broker.Broker;
import dev.writ.core.broker.Reason;
import dev.writ.core.broker.Request;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Text;
import dev.writ.core.policy.Decision;
import dev.writ.core.policy.Policy;
import dev.writ.core.sandbox.Backend;
import dev.writ.core.sandbox.Proxy;
import dev.writ.core.sandbox.Sandbox;
import dev.writ.core.sandbox.SandboxSpec;
import dev.writ.core.sandbox.SandboxSpec.Streams;
import dev.writ.runtime.policy.Links;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// One agent's run under one policy. Every command of it starts confined; this process never is.
///
/// May be used from several threads.
public final class Session implements AutoCloseable {
    private final SessionId id;
    private final Policy policy;
    private final FilePath folder;
    private final Map<String, String> environment;
    private final Broker broker;
    private final Chronicle chronicle;
    private final Backend backend;
    private final Set<String> acceptedWeaker;
    private final Supplier<List<AuditEvent>> events;
    private final Optional<Scratch> scratch;
    private final Optional<Proxy> proxy;

    Session(
            SessionId id,
            Policy policy,
            FilePath folder,
            Map<String, String> environment,
            Broker broker,
            Chronicle chronicle,
            Backend backend,
            Set<String> acceptedWeaker,
            Supplier<List<AuditEvent>> events,
            Optional<Scratch> scratch,
            Optional<Proxy> proxy) {
        this.id = id;
        this.policy = policy;
        this.folder = folder;
        this.environment = Map.copyOf(environment);
        this.broker = broker;
        this.chronicle = chronicle;
        this.backend = backend;
        this.acceptedWeaker = Set.copyOf(acceptedWeaker);
        this.events = events;
        this.scratch = scratch;
        this.proxy = proxy;
    }

    public SessionId id() {
        return id;
    }

    /// What it is allowed, its own temporary folder included.
    public Policy policy() {
        return policy;
    }

    /// Where its commands start.
    public FilePath folder() {
        return folder;
    }

    /// The names of the variables that its programs see.
    public Set<String> variables() {
        return environment.keySet();
    }

    /// What was judged so far and is still remembered, oldest first.
    public List<AuditEvent> events() {
        return events.get();
    }

    /// The file that `command` names: a path, or a name to be looked up where the operator's
    /// programs are.
    public Optional<FilePath> find(String command) {
        return find(command, folder);
    }

    /// The same from another folder than the session's.
    public Optional<FilePath> find(String command, FilePath folder) {
        var here = Path.of(folder.toString());
        var candidates =
                command.indexOf('/') >= 0
                        ? Stream.of(here.resolve(command))
                        : policy.scope().programs().stream()
                                .map(f -> Path.of(f.resolve(command).toString()));
        return candidates
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .map(file -> FilePath.of(file.toAbsolutePath().normalize().toString()))
                .findFirst();
    }

    /// Why `program` must not start with these arguments; nothing if it may, or if the operator
    /// will be asked when it does.
    public Optional<Reason> refusal(FilePath program, List<String> arguments) {
        var action = new Action.StartProgram(new Links().resolve(program), arguments);
        if (!(policy.decide(action) instanceof Decision.Deny)) {
            return Optional.empty();
        }
        open(Stream.concat(Stream.of(program.toString()), arguments.stream()).toList());
        return Optional.of(broker.judge(new Request(id, action)).reason());
    }

    private void open(List<String> command) {
        chronicle.open(
                command, folder, backend.name(), () -> backend.posture(policy, acceptedWeaker));
    }

    /// Starts `program`, called by the words of `command`. What it then does is judged as it does
    /// it; its own start is, too.
    ///
    /// @throws dev.writ.core.sandbox.SandboxException if it cannot be confined as the policy says
    public Sandbox start(FilePath program, List<String> command, Streams streams) {
        return start(program, command, folder, Map.of(), streams);
    }

    /// The same in another folder than the session's, and with more variables. They come from the
    /// host, who can give away what is its own.
    ///
    /// @throws dev.writ.core.sandbox.SandboxException if it cannot be confined as the policy says
    public Sandbox start(
            FilePath program,
            List<String> command,
            FilePath folder,
            Map<String, String> more,
            Streams streams) {
        open(command);
        var variables = new HashMap<>(proxy.map(Proxy::environment).orElse(Map.of()));
        variables.putAll(environment); // what the policy grants comes first
        variables.putAll(more);
        return backend.start(
                new SandboxSpec(
                        id,
                        policy,
                        program,
                        command,
                        folder,
                        variables,
                        streams,
                        acceptedWeaker,
                        proxy),
                broker);
    }

    /// Runs `command` with nothing to read, and waits for it.
    ///
    /// @throws NoSuchElementException if there is no such program
    public Outcome run(List<String> command) throws InterruptedException {
        var program =
                find(command.getFirst())
                        .orElseThrow(
                                () ->
                                        new NoSuchElementException(
                                                "command not found: `"
                                                        + Text.shown(command.getFirst())
                                                        + "`"));
        try (var sandbox = start(program, command, Streams.PIPED)) {
            return Outcome.of(sandbox);
        }
    }

    /// Removes what the session has kept for itself, and writes its end down. Its sandboxes must
    /// have ended.
    @Override
    public void close() {
        // ORDER: what is removed here is none of the files that the session leaves behind.
        try {
            proxy.ifPresent(Proxy::close);
            scratch.ifPresent(Scratch::close);
        } finally {
            chronicle.close();
        }
    }
}
