// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.sandbox;

import dev.writ.core.audit.SessionId;
import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Policy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/// What a sandbox must be.
///
/// @param program the file to start
/// @param command the words the program is given; the first is what it is called by
/// @param folder where it starts
/// @param environment all the variables it sees
/// @param streams where its input comes from and its output goes
/// @param input what the host gives it to read, in words; asked for only when the operator is asked
/// @param acceptedWeaker guarantees that the operator does without where this machine lacks them
/// @param allowance what it may use together with the others of its session
/// @param proxy its way out; without one there is none
public record SandboxSpec(
        SessionId session,
        Policy policy,
        FilePath program,
        List<String> command,
        FilePath folder,
        Map<String, String> environment,
        Streams streams,
        Supplier<String> input,
        Set<String> acceptedWeaker,
        Allowance allowance,
        Optional<Proxy> proxy) {
    /// What can be said of input that is still to come.
    public static final String STREAM = "a stream";

    /// There is nothing to read.
    public static final String NOTHING = "nothing";

    /// Where input comes from and output goes.
    public enum Streams {
        /// To and from wherever this process has them.
        INHERITED,
        /// To and from the caller: see [Sandbox].
        PIPED,
        /// From wherever this process has it, and to the caller.
        OUTPUT_PIPED,
        /// To and from the caller, through a terminal of its own.
        TERMINAL
    }

    public SandboxSpec {
        command = List.copyOf(command);
        environment = Map.copyOf(environment);
        acceptedWeaker = Set.copyOf(acceptedWeaker);
        if (command.isEmpty()) {
            throw new IllegalArgumentException("a command has at least one word");
        }
    }
}
