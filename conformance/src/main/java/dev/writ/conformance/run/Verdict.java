// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.run;

import java.util.Locale;

/// What became of a case.
public enum Verdict {
    /// Containment failed.
    ESCAPE,
    /// The runner failed; says nothing about the sandbox, and is never a pass.
    ERROR,
    /// Stopped, and both controls held.
    BLOCKED,
    /// Did not get through, but that proves nothing: a control did not hold.
    VOID,
    /// Not tried: this machine lacks something.
    SKIPPED,
    /// Not tried: needs a harness for the product.
    PENDING;

    public String spelling() {
        return name().toLowerCase(Locale.ROOT);
    }
}
