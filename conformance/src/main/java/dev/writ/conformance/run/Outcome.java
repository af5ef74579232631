// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.run;

/// How one run of a probe ended.
sealed interface Outcome {
    /// Why it ended so, in a line.
    String detail();

    /// What the probe printed, as far as a report may show it.
    String output();

    /// The oracle holds.
    record Escaped(String detail, String output) implements Outcome {}

    /// The oracle does not hold.
    record Held(String detail, String output) implements Outcome {}

    /// The oracle does not hold, but the probe did not finish either.
    record Hung(String detail, String output) implements Outcome {}

    /// The probe says that it cannot be tried here.
    record Skipped(String detail, String output) implements Outcome {}

    /// The host side failed, or the oracle has no answer.
    record Failed(String detail, String output) implements Outcome {}
}
