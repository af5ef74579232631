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
import dev.writ.core.sandbox.Allowance;
import dev.writ.core.sandbox.Backend;
import dev.writ.core.sandbox.NotStartedException;
import dev.writ.core.sandbox.Proxy;
import dev.writ.core.sandbox.Sandbox;
import dev.writ.core.sandbox.SandboxSpec;
import dev.writ.core.sandbox.SandboxSpec.Streams;
import dev.writ.core.sandbox.Use;
import dev.writ.runtime.files.SessionFiles;
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
import org.jspecify.annotations.Nullable;

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
    private final Allowance allowance;
    private final Set<String> acceptedWeaker;
    private final Supplier<List<AuditEvent>> events;
    private final Optional<Scratch> scratch;
    private final Optional<Tenure<Sandbox>> tenure;
    private final Proxy proxy;
    private @Nullable SessionFiles files; // guarded by this

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
            Optional<Tenure<Sandbox>> tenure,
            Proxy proxy) {
        this.id = id;
        this.policy = policy;
        this.folder = folder;
        this.environment = Map.copyOf(environment);
        this.broker = broker;
        this.chronicle = chronicle;
        this.backend = backend;
        this.allowance = backend.allowance(policy);
        this.acceptedWeaker = Set.copyOf(acceptedWeaker);
        this.events = events;
        this.scratch = scratch;
        this.tenure = tenure;
        this.proxy = proxy;
    }

    /// Why nothing may happen in it any more, because of its token; empty if that is not so.
    public Optional<String> ended() {
        return tenure.flatMap(t -> t.token().ended());
    }

    /// Who gave its token to whom; empty if it was opened without one.
    public Optional<String> lineage() {
        return tenure.map(t -> t.token().lineage());
    }

    public SessionId id() {
        return id;
    }

    /// What it is allowed, within its token if it has one; its own temporary folder included.
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

    /// What its commands have used of the limits that hold for all of them together.
    public List<Use> use() {
        return allowance.use();
    }

    /// What was judged so far and is still remembered, oldest first.
    public List<AuditEvent> events() {
        return events.get();
    }

    /// Where the host sends requests that it makes for the agent; empty if no rule leads out.
    public Optional<Outlet> outlet() {
        var outlet = Outlet.of(proxy);
        if (outlet.isPresent()) {
            openForHost();
        }
        return outlet;
    }

    /// The file that `command` names: a path, or a name to be looked up where the operator's
    /// programs are.
    public Optional<FilePath> find(String command) {
        return find(command, folder);
    }

    /// The same from another folder than the session's.
    public Optional<FilePath> find(String command, FilePath folder) {
        return candidates(command, folder)
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .map(file -> FilePath.of(file.toAbsolutePath().normalize().toString()))
                .findFirst();
    }

    /// The same.
    ///
    /// @throws NotStartedException if there is none; it says what is there instead
    public FilePath program(String command, FilePath folder) {
        return find(command, folder)
                .orElseThrow(
                        () -> {
                            var name = "`" + Text.shown(command) + "`";
                            return candidates(command, folder).anyMatch(Files::exists)
                                    ? new NotStartedException("not a program: " + name, 126)
                                    : new NotStartedException("command not found: " + name, 127);
                        });
    }

    private Stream<Path> candidates(String command, FilePath folder) {
        return command.indexOf('/') >= 0
                ? Stream.of(Path.of(folder.toString()).resolve(command))
                : policy.scope().programs().stream()
                        .map(f -> Path.of(f.resolve(command).toString()));
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

    /// Its files, as its programs could reach them.
    public synchronized SessionFiles files() {
        openForHost();
        if (files == null) {
            files =
                    new SessionFiles(
                            backend.files(id, policy, broker, allowance, acceptedWeaker), folder);
        }
        return files;
    }

    /// The host does something in it for the agent, perhaps before any program has started.
    private void openForHost() {
        if (open(List.of())) {
            chronicle.ended(0); // and what its programs say counts more, if there are any
        }
    }

    private boolean open(List<String> command) {
        return chronicle.open(
                command, folder, backend.name(), () -> backend.posture(policy, acceptedWeaker));
    }

    /// Starts `program`, called by the words of `command`. What it then does is judged as it does
    /// it; its own start is, too.
    ///
    /// @throws dev.writ.core.sandbox.SandboxException if it cannot be confined as the policy says
    /// @throws dev.writ.core.sandbox.SpentException if the session has used up a limit
    public Sandbox start(FilePath program, List<String> command, Streams streams) {
        return start(program, command, folder, Map.of(), streams, () -> SandboxSpec.STREAM);
    }

    /// The same in another folder than the session's, and with more variables. They come from the
    /// host, who can give away what is its own.
    ///
    /// @param input what the host gives it to read, in words, for whoever is asked about it
    /// @throws dev.writ.core.sandbox.SandboxException if it cannot be confined as the policy says
    /// @throws dev.writ.core.sandbox.SpentException if the session has used up a limit
    public Sandbox start(
            FilePath program,
            List<String> command,
            FilePath folder,
            Map<String, String> more,
            Streams streams,
            Supplier<String> input) {
        open(command);
        var variables = new HashMap<>(proxy.environment());
        variables.putAll(environment); // what the policy grants comes first
        variables.computeIfPresent("PWD", (_, old) -> Environment.place(old, folder));
        variables.putAll(more);
        var sandbox =
                backend.start(
                        new SandboxSpec(
                                id,
                                policy,
                                program,
                                command,
                                folder,
                                variables,
                                streams,
                                input,
                                acceptedWeaker,
                                allowance,
                                Optional.of(proxy)),
                        broker);
        tenure.ifPresent(t -> t.add(sandbox));
        return sandbox;
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
        try (var sandbox =
                start(
                        program,
                        command,
                        folder,
                        Map.of(),
                        Streams.PIPED,
                        () -> SandboxSpec.NOTHING)) {
            return Outcome.of(sandbox);
        }
    }

    /// Removes what the session has kept for itself, and writes its end down. Its sandboxes must
    /// have ended.
    @Override
    public void close() {
        // ORDER: what is removed here is none of the files that the session leaves behind.
        tenure.ifPresent(Tenure::close);
        try {
            proxy.close();
            scratch.ifPresent(Scratch::close);
        } finally {
            chronicle.close();
        }
    }
}
