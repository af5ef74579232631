// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.token;

/// What became of a token that was looked at.
public sealed interface Verification {
    /// It is good.
    record Good(VerifiedToken token) implements Verification {}

    /// It is good for nothing.
    ///
    /// @param reason names the block and the holder
    record Refused(String reason) implements Verification {}
}
