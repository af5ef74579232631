// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.policy;

import java.util.Locale;

/// What a rule says about the actions it speaks of.
public enum Effect {
    ALLOW,
    ASK,
    DENY;

    /// The word for it in policy files, flags and output.
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
