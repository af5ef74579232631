// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.approval;

/// What the operator can say to a question.
public enum Choice {
    /// Yes, this time.
    ONCE,
    /// Yes, and to the same as long as this session lasts.
    THIS_RUN,
    /// Yes, and to the same from now on.
    ALWAYS,
    /// No, this time.
    NO,
    /// No, and to every other question of this session.
    NO_TO_ALL
}
