// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

/// When an entry has to be on the disk.
public enum Durability {
    /// Before [Log#append] returns: what it tells of can then happen.
    BEFORE_EFFECT,
    /// Within 50 ms; whoever appends does not wait.
    SOON
}
