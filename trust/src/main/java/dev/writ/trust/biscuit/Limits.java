// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

/// How much of an evaluation is put up with.
///
/// @param facts in the end, those of token and authorizer included
/// @param rounds in which rules make new facts
public record Limits(int facts, int rounds, int steps) {
    /// Some milliseconds at worst.
    public static final Limits DEFAULT = new Limits(1_000, 100, 25_000);
}
