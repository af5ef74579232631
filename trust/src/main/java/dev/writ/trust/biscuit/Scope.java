// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

/// Whose facts a rule looks at, besides its own block's and the authorizer's.
public sealed interface Scope {
    /// The first block's.
    record Authority() implements Scope {
        @Override
        public String toString() {
            return "authority";
        }
    }

    /// Those of all blocks before.
    record Previous() implements Scope {
        @Override
        public String toString() {
            return "previous";
        }
    }

    /// Those of blocks that were signed by a key.
    record Key(PublicKey key) implements Scope {
        @Override
        public String toString() {
            return key.toString();
        }
    }
}
