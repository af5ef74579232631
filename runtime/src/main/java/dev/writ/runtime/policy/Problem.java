// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.policy;

import dev.writ.core.policy.Source;

/// Something wrong with a policy: where, what, and what to write instead.
///
/// @param hint empty if nothing comes to mind
public record Problem(Source source, String message, String hint) {
    @Override
    public String toString() {
        return source + ": " + message + (hint.isEmpty() ? "" : "; " + hint);
    }
}
