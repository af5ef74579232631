// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.broker;

/// Why: a stable code for programs, a sentence for people, and what to do about it.
///
/// @param hint the narrowest change that would help; empty if there is none
public record Reason(String code, String sentence, String hint) {
    public static final String ALLOWED = "policy.allowed";
    public static final String DENIED = "policy.denied";
    public static final String BEYOND = "token.denied";
    public static final String ENDED = "token.ended";
    public static final String APPROVED = "approval.approved";
    public static final String REFUSED = "approval.refused";
    public static final String NOT_ASKED = "approval.not-asked";
    public static final String NOT_JUDGED = "broker.failed";
    public static final String NOT_RECORDED = "audit.failed";

    /// All of it on one line.
    public String line() {
        return sentence + (hint.isEmpty() ? "" : "; to change that: " + hint);
    }
}
