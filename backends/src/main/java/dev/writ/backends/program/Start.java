// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import dev.writ.core.capability.Action;
import dev.writ.core.policy.Decision;

/// A start of a program that an exec amounts to, and what the policy has to say of it.
public record Start(Action.StartProgram action, Need need) {
    /// When a start is all right.
    public enum Need {
        /// A rule allows it, or the operator does.
        ALLOWED,
        /// No rule denies it; where one asks, the operator agrees.
        NOT_DENIED
    }

    /// Whether the broker has to judge it. What need not be allowed, and is not named by any rule,
    /// is no question.
    boolean isQuestion(Decision decision) {
        return need == Need.ALLOWED || decision.isDenied() || decision instanceof Decision.Ask;
    }
}
