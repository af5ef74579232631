// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.policy;

import dev.writ.core.capability.Capability;
import dev.writ.core.capability.Scope;

/// One line of a policy: which actions, what about them, and where it is written.
public record Rule(Effect effect, Capability capability, Source source) {
    /// The rule and its place, as messages name it.
    public String describe(Scope scope) {
        return "`" + capability.text(scope) + "` (" + source + ")";
    }
}
