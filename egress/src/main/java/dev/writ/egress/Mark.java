// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

/// What is said between the handlers of a connection, in line with what comes over it.
enum Mark {
    /// The first byte of a head is there.
    HEAD_BEGAN,
    /// Nothing comes after this.
    END
}
