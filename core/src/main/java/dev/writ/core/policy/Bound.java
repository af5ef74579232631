// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.policy;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.Scope;
import dev.writ.core.capability.Text;

/// Rules of somebody else that have to permit an action as well, such as those of a block of a
/// token. Nothing is granted by them.
///
/// @param name how people are told: who gave what to whom
public record Bound(String name, Policy policy) {
    /// Why an action is not permitted, in words.
    ///
    /// @param by what its rules say
    public String refusal(Decision.Deny by, Action action) {
        return name
                + (by instanceof Decision.Denied ? ", denies `" : ", does not include `")
                + Text.shown(action.text(Scope.SPELLED_OUT))
                + "`";
    }
}
