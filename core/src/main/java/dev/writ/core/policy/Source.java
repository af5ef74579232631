// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.policy;

/// Where a rule stands.
///
/// @param line counted from 1; 0 if the place has no lines, such as a flag
public record Source(String place, int line, int column) {
    public static Source of(String place) {
        return new Source(place, 0, 0);
    }

    @Override
    public String toString() {
        return line == 0 ? place : place + ":" + line + ":" + column;
    }
}
