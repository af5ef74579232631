// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.policy;

import dev.writ.core.capability.Capability;
import dev.writ.core.capability.Scope;
import dev.writ.core.capability.Text;

/// One line of a policy: which actions, what about them, and where it is written.
///
/// @param written the capability as the operator wrote it
public record Rule(Effect effect, Capability capability, String written, Source source) {
    /// Reads a rule.
    ///
    /// @throws dev.writ.core.capability.SyntaxException if `written` is no capability
    public static Rule parse(Effect effect, String written, Scope scope, Source source) {
        return new Rule(effect, Capability.parse(written, scope), written, source);
    }

    /// The rule and its place, as messages name it.
    @Override
    public String toString() {
        return "`" + Text.shown(written) + "` (" + source + ")";
    }
}
