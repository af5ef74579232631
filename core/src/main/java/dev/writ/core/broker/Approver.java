// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.broker;

import dev.writ.core.audit.AuditEvent.Term;
import dev.writ.core.policy.Rule;

/// Puts a question to the operator. Whoever cannot reach one refuses.
public interface Approver {
    /// What the operator said. Blocks until there is an answer; no answer in time is a refusal.
    Answer ask(Request request, Rule rule);

    /// An answer, and who gave it.
    sealed interface Answer {
        /// @param term for how long the same need not be asked again
        record Approved(String by, Term term) implements Answer {
            public Approved(String by) {
                this(by, Term.ONCE);
            }
        }

        /// @param term for how long nobody need ask again
        record Refused(String by, Term term) implements Answer {
            public Refused(String by) {
                this(by, Term.ONCE);
            }
        }

        /// Nobody has answered, which is a refusal.
        record NotAsked(String why) implements Answer {}
    }

    /// Nobody is there: every question is refused.
    static Approver nobody() {
        return (_, _) -> new Answer.NotAsked("nobody is there to ask");
    }
}
