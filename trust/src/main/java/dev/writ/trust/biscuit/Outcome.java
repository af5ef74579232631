// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import java.util.List;
import java.util.Optional;

/// What an authorizer makes of a token.
public sealed interface Outcome {
    /// @param policy the number of the policy that said so
    record Allowed(int policy) implements Outcome {}

    /// @param policy the number of the policy that spoke first, whatever it said; empty if none did
    record Denied(Optional<Integer> policy, List<FailedCheck> failed) implements Outcome {
        public Denied {
            failed = List.copyOf(failed);
        }
    }

    /// It could not be evaluated, and so is good for nothing.
    record Stopped(String why) implements Outcome {}

    /// @param block of the token; -1 for the authorizer
    /// @param check its number in the block
    record FailedCheck(int block, int check, String text) {}
}
