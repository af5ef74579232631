// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.run;

import dev.writ.conformance.corpus.Case;
import dev.writ.conformance.corpus.Need;
import java.time.Duration;

/// Gives the verdict. A block counts only if the same probe gets through without a sandbox and
/// allowed things get through with it; an escape counts always.
record Judge(Case test) {
    /// The verdict on `actual`, given the run without a sandbox.
    Result judge(Outcome control, Outcome actual) {
        return switch (actual) {
            case Outcome.Escaped(var detail, var output) -> result(Verdict.ESCAPE, detail, output);
            case Outcome.Failed(var detail, var output) -> result(Verdict.ERROR, detail, output);
            case Outcome.Hung(var detail, var output) -> result(Verdict.ERROR, detail, output);
            case Outcome.Skipped(var detail, var output) -> result(Verdict.SKIPPED, detail, output);
            case Outcome.Held(var detail, var output) -> held(control, detail, output);
        };
    }

    private Result held(Outcome control, String detail, String output) {
        return switch (control) {
            case Outcome.Escaped _ -> result(Verdict.BLOCKED, detail, output);
            case Outcome.Failed(var why, _) ->
                    result(Verdict.ERROR, "without a sandbox: " + why, output);
            case Outcome.Held(var why, _) -> result(Verdict.VOID, harmless(why), output);
            case Outcome.Hung(var why, _) -> result(Verdict.VOID, harmless(why), output);
            case Outcome.Skipped(var why, _) -> result(Verdict.VOID, harmless(why), output);
        };
    }

    /// The verdict where there is no sandbox at all: the run is its own control.
    Result alone(Outcome control) {
        return switch (control) {
            case Outcome.Escaped(var detail, var output) -> result(Verdict.ESCAPE, detail, output);
            case Outcome.Failed(var detail, var output) -> result(Verdict.ERROR, detail, output);
            case Outcome.Skipped(var detail, var output) -> result(Verdict.SKIPPED, detail, output);
            case Outcome.Held(var why, var output) -> result(Verdict.VOID, harmless(why), output);
            case Outcome.Hung(var why, var output) -> result(Verdict.VOID, harmless(why), output);
        };
    }

    private String harmless(String why) {
        String hint = test.needs(Need.ROOT) ? " (only root gets through)" : "";
        return "does not get through without a sandbox either" + hint + ": " + why;
    }

    Result result(Verdict verdict, String detail, String output) {
        return new Result(test, verdict, detail, Duration.ZERO, output);
    }
}
