// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.run;

import dev.writ.conformance.corpus.Case;
import java.time.Duration;

/// The verdict on one case, why, and what the probe printed in the sandbox.
public record Result(Case test, Verdict verdict, String detail, Duration time, String output) {
    Result took(Duration duration) {
        return new Result(test, verdict, detail, duration, output);
    }
}
