// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import dev.writ.core.audit.InMemoryAuditLog;
import dev.writ.core.audit.SessionId;
import dev.writ.core.broker.Approver;
import dev.writ.core.broker.Broker;
import dev.writ.core.broker.Request;
import dev.writ.core.broker.Verdict;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Decision;
import dev.writ.core.policy.Policy;
import dev.writ.runtime.policy.Links;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// One command under one policy. Until a backend confines it, this judges its start and builds its
/// environment, and no more.
public final class Run {
    private final Policy policy;
    private final Path folder;
    private final Map<String, String> variables;
    private final Broker broker;
    private final SessionId session = new SessionId("run-" + ProcessHandle.current().pid());

    public Run(Policy policy, Path folder, Map<String, String> variables) {
        this.policy = policy;
        this.folder = folder;
        this.variables = Map.copyOf(variables);
        this.broker =
                new Broker(
                        policy, Approver.nobody(), new InMemoryAuditLog(), InstantSource.system());
    }

    /// The file that `command` names: a path, or a name to be looked up where the operator's
    /// programs are.
    public Optional<FilePath> find(String command) {
        var candidates =
                command.indexOf('/') >= 0
                        ? Stream.of(folder.resolve(command))
                        : policy.scope().programs().stream()
                                .map(f -> Path.of(f.resolve(command).toString()));
        return candidates
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .map(file -> FilePath.of(file.toAbsolutePath().normalize().toString()))
                .findFirst();
    }

    /// Whether `program` may start with these arguments.
    public Verdict judge(FilePath program, List<String> arguments) {
        return broker.judge(
                new Request(
                        session, new Action.StartProgram(new Links().resolve(program), arguments)));
    }

    /// Starts the command with this process's own input and output, waits for it, and gives its
    /// exit code.
    public int start(List<String> command) throws IOException {
        var builder = new ProcessBuilder(command).directory(folder.toFile()).inheritIO();
        builder.environment().clear();
        builder.environment().putAll(environment());
        var process = builder.start();
        while (true) {
            try {
                return process.waitFor();
            } catch (InterruptedException e) {
                process.destroy();
            }
        }
    }

    /// Built from nothing: only what the policy grants.
    Map<String, String> environment() {
        var granted = new HashMap<String, String>();
        variables.forEach(
                (name, value) -> {
                    if (policy.decide(new Action.SeeVariable(name)) instanceof Decision.Allow) {
                        granted.put(name, value);
                    }
                });
        return granted;
    }
}
