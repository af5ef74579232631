// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.sandbox;

import dev.writ.core.audit.Posture;
import dev.writ.core.audit.SessionId;
import dev.writ.core.broker.Broker;
import dev.writ.core.file.FileAccess;
import dev.writ.core.policy.Policy;
import java.util.Set;

/// Makes sandboxes by one mechanism.
public interface Backend {
    /// Its name in policies and flags.
    String name();

    /// What a sandbox under `policy` is kept from here, and by whom: for the record.
    ///
    /// @param acceptedWeaker guarantees that the operator does without where this machine lacks
    /// them
    Posture posture(Policy policy, Set<String> acceptedWeaker);

    /// What the sandboxes of a session under `policy` may use together.
    Allowance allowance(Policy policy);

    /// Starts a sandbox. From its first instruction on, the program can do what the policy of
    /// `spec` lets it do, and no more.
    ///
    /// @param broker judges what the policy leaves to be judged while it runs
    /// @throws SandboxException if it cannot be started, or a rule cannot be enforced here
    /// @throws SpentException if the session has used up a limit
    Sandbox start(SandboxSpec spec, Broker broker);

    /// The files of a session, for the host application.
    ///
    /// @param acceptedWeaker as for [#posture]
    /// @throws SandboxException if a rule cannot be enforced here
    FileAccess files(
            SessionId session,
            Policy policy,
            Broker broker,
            Allowance allowance,
            Set<String> acceptedWeaker);
}
