// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.approval;

import dev.writ.core.audit.AuditEvent.Term;
import dev.writ.core.broker.Approver.Answer;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.Text;
import dev.writ.runtime.policy.Approvals;
import dev.writ.runtime.policy.InvalidPolicyException;
import java.io.UncheckedIOException;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The answers that were given before, in one session or for good: the same need not be asked
/// again.
///
/// May be used from several threads.
final class Given {
    private final Approvals approvals;
    private final InstantSource clock;

    // Both guarded by this.
    private final Map<Action, String> forThisRun = new HashMap<>(); // and who approved it
    private @Nullable String refusedAll; // who did

    Given(Approvals approvals, InstantSource clock) {
        this.approvals = approvals;
        this.clock = clock;
    }

    Approvals approvals() {
        return approvals;
    }

    /// The answer that needs nobody.
    synchronized Optional<Answer> find(Action action) {
        var by = forThisRun.get(action);
        if (by != null) {
            return Optional.of(new Answer.Approved(by, Term.SESSION));
        }
        var approval = approvals.find(action);
        if (approval.isPresent()) {
            String name = "remembered approval " + place(approval.get()) + given(approval.get());
            return Optional.of(new Answer.Approved(name, Term.ALWAYS));
        }
        return Optional.ofNullable(refusedAll).map(Given::toAll);
    }

    private static String place(Approvals.Approval approval) {
        return approval.source().place() + ":" + approval.source().line();
    }

    private static String given(Approvals.Approval approval) {
        return approval.given().isEmpty() ? "" : " (" + Text.shown(approval.given()) + ")";
    }

    private static Answer toAll(String by) {
        return new Answer.Refused(by + ", to all questions", Term.SESSION);
    }

    /// What follows from a choice of the operator's for `action`.
    ///
    /// @param by who chose
    /// @param tell hears what they would want to know
    Answer give(Action action, Choice choice, String by, Consumer<String> tell) {
        return switch (choice) {
            case ONCE -> new Answer.Approved(by);
            case THIS_RUN -> approveForThisRun(action, by);
            case ALWAYS -> remember(action, by, tell);
            case NO -> new Answer.Refused(by);
            case NO_TO_ALL -> refuseAll(by);
        };
    }

    private synchronized Answer approveForThisRun(Action action, String by) {
        forThisRun.put(action, by);
        return new Answer.Approved(by, Term.SESSION);
    }

    private Answer remember(Action action, String by, Consumer<String> tell) {
        try {
            var approval = approvals.add(action, by, clock.instant());
            return new Answer.Approved(by + " (" + place(approval) + ")", Term.ALWAYS);
        } catch (UncheckedIOException | InvalidPolicyException e) {
            tell.accept("approved for this run only, as it could not be kept: " + e.getMessage());
            return approveForThisRun(action, by);
        }
    }

    private synchronized Answer refuseAll(String by) {
        refusedAll = by;
        return toAll(by);
    }
}
