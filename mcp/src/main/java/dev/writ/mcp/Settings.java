// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp;

import dev.writ.core.audit.SessionId;
import dev.writ.core.broker.Approver;
import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Policy;
import dev.writ.runtime.SessionToken;
import dev.writ.runtime.Writ;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/// What a server is started with.
///
/// @param writ opens sessions whose questions go to somebody
/// @param workspace where commands start
/// @param source where the policy came from, for the record
/// @param about the file that approvals are remembered for; without one the workspace
/// @param state where Writ keeps keys, records and approvals
/// @param token gives a session the token that it is opened with; empty if there is none
/// @param version of Writ
public record Settings(
        Function<Approver, Writ> writ,
        Policy policy,
        FilePath workspace,
        String source,
        Path about,
        FilePath state,
        Optional<Function<SessionId, SessionToken>> token,
        Supplier<String> version) {}
