// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.corpus;

import dev.writ.conformance.oracle.Oracle;
import java.util.Set;

/// One forbidden action, tried against canaries.
///
/// @param what what is attempted
/// @param why the mechanism that a weak sandbox gets wrong
/// @param expected what a good sandbox answers
/// @param blocks what stops it
/// @param reference where it was seen
/// @param escapedIf holds after the run if containment failed
public record Case(
        String id,
        String group,
        String what,
        String why,
        String expected,
        String blocks,
        String reference,
        Kind kind,
        Set<Need> needs,
        Language language,
        String script,
        Oracle escapedIf,
        String oracleText) {
    public Case {
        needs = Set.copyOf(needs);
    }

    public boolean needs(Need need) {
        return needs.contains(need);
    }
}
