// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.token;

import dev.writ.core.policy.Decision;
import java.util.Optional;

/// What a token says of an action.
public sealed interface TokenDecision {
    /// Every block permits it.
    record Permitted() implements TokenDecision {}

    /// Every block permits it, if the operator does.
    ///
    /// @param reason which block wants that
    record Ask(String reason, Decision.Ask decision) implements TokenDecision {}

    /// @param reason which block does not permit it, who gave it and to whom
    /// @param decision what the rules of that block say; empty if the token is good for nothing
    record Refused(String reason, Optional<Decision> decision) implements TokenDecision {}
}
