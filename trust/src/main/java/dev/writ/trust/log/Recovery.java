// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

/// What was found when a log was opened.
///
/// @param unsigned entries behind the last checkpoint: they were written, and nobody came to sign
/// them
/// @param dropped bytes at the end that are no whole entry and were never acknowledged
public record Recovery(long unsigned, long dropped) {
    /// Whether the last writer closed the log in order.
    public boolean clean() {
        return dropped == 0;
    }

    @Override
    public String toString() {
        return unsigned
                + " entries behind the last checkpoint kept, "
                + dropped
                + " bytes of an unfinished entry dropped";
    }
}
