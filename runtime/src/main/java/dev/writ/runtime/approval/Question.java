// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.approval;

import dev.writ.core.broker.Asker;
import dev.writ.core.capability.Action;
import dev.writ.core.policy.Rule;
import java.util.List;
import java.util.function.IntSupplier;

/// One action that the policy asks about.
///
/// @param rule the rule that asks
/// @param askers all who want to know, the first one first
/// @param circumstances which all of them ask under
/// @param remembered the line that is kept if the answer is always; empty if it cannot be kept
/// @param place where it is kept
/// @param others how many other questions wait by now
public record Question(
        Action action,
        Rule rule,
        List<Asker> askers,
        Asker.Circumstances circumstances,
        String remembered,
        String place,
        IntSupplier others) {
    public Question {
        askers = List.copyOf(askers);
    }

    /// Whether anybody still waits for the answer.
    public boolean isOpen() {
        return askers.stream().anyMatch(Asker::isWaiting);
    }
}
