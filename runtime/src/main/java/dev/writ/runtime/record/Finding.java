// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.record;

import java.util.Locale;

/// What came of looking at one thing.
///
/// @param what was looked at, by its name
/// @param says what is known about it, or what is wrong
/// @param entry the first entry that is wrong, or -1 if it is about no one entry
public record Finding(String what, State state, String says, long entry) {
    public enum State {
        /// It is as it was signed.
        VERIFIED,
        /// There is nothing to compare it with: no signature yet, or no key.
        UNCHECKED,
        WRONG;

        /// The word for it in output.
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static Finding of(String what, State state, String says) {
        return new Finding(what, state, says, -1);
    }
}
