// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.record;

/// What came of looking at one thing.
///
/// @param what was looked at, by its name
/// @param good whether it is as it was signed
/// @param says what is known about it, or what is wrong
/// @param entry the first entry that is wrong, or -1 if it is about no one entry
public record Finding(String what, boolean good, String says, long entry) {
    static Finding good(String what, String says) {
        return new Finding(what, true, says, -1);
    }

    static Finding bad(String what, String says) {
        return new Finding(what, false, says, -1);
    }
}
