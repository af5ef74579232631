// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.approval;

import dev.writ.core.audit.AuditEvent.Term;
import dev.writ.core.broker.Approver;
import dev.writ.core.broker.Asker;
import dev.writ.core.broker.Request;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.Text;
import dev.writ.core.policy.Rule;
import dev.writ.runtime.policy.Approvals;
import dev.writ.runtime.policy.InvalidPolicyException;
import java.io.UncheckedIOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Where questions to the operator arrive. What was approved before, for this run or for good, is
/// answered from memory. The rest is asked in the order in which it came, one question at a time;
/// those who want the same while it waits for its turn share one question. An agent can ask as much
/// as it likes, so only so many may wait.
public final class Desk implements Approver {
    private static final int MOST_WAITING = 48;

    private final Operator operator;
    private final Approvals approvals;
    private final InstantSource clock;

    /// Held by the one whose question is asked.
    private final ReentrantLock turn = new ReentrantLock(true);

    // guarded by this
    private final Map<Action, Pending> pending = new HashMap<>();
    private final Set<Action> approvedForThisRun = new HashSet<>();
    private int waiting;
    private boolean closed;

    /// A question that has not been asked yet, and those who share it.
    private static final class Pending {
        private final List<Asker> askers = new ArrayList<>();
        private @Nullable Answer answer;
    }

    public Desk(Operator operator, Approvals approvals, InstantSource clock) {
        this.operator = operator;
        this.approvals = approvals;
        this.clock = clock;
    }

    @Override
    public Answer ask(Request request, Rule rule) {
        Pending mine;
        synchronized (this) {
            var known = known(request.action());
            if (known != null) {
                return known;
            }
            if (waiting == MOST_WAITING) {
                return new Answer.NotAsked(
                        "not asked, because "
                                + MOST_WAITING
                                + " others wait for an answer already");
            }
            waiting++;
            mine = pending.computeIfAbsent(request.action(), _ -> new Pending());
            mine.askers.add(request.asker());
        }
        turn.lock();
        try {
            return answer(mine, request.action(), rule);
        } finally {
            turn.unlock();
            synchronized (this) {
                waiting--;
            }
        }
    }

    /// The answer that needs nobody.
    private synchronized @Nullable Answer known(Action action) {
        if (approvedForThisRun.contains(action)) {
            return new Answer.Approved(operator.name(), Term.SESSION);
        }
        var approval = approvals.find(action);
        if (approval.isPresent()) {
            return new Answer.Approved(
                    "remembered approval "
                            + approval.get().source().place()
                            + ":"
                            + approval.get().source().line()
                            + given(approval.get()),
                    Term.ALWAYS);
        }
        return closed
                ? new Answer.Refused(operator.name() + ", to all questions", Term.SESSION)
                : null;
    }

    private static String given(Approvals.Approval approval) {
        return approval.given().isEmpty() ? "" : " (" + Text.shown(approval.given()) + ")";
    }

    private Answer answer(Pending mine, Action action, Rule rule) {
        Question question;
        synchronized (this) {
            if (mine.answer != null) {
                return mine.answer; // given to one that shares the question
            }
            // Whoever comes from now on has not been shown to the operator, and asks anew.
            pending.remove(action, mine);
            var known = known(action);
            if (known != null) {
                mine.answer = known;
                return known;
            }
            question =
                    new Question(
                            action,
                            rule,
                            mine.askers,
                            approvals.rule(action).orElse(""),
                            approvals.file().toString(),
                            this::others);
        }
        var answer =
                question.isOpen()
                        ? answer(action, operator.ask(question))
                        : new Answer.NotAsked("nobody waits for the answer any more");
        synchronized (this) {
            mine.answer = answer;
        }
        return answer;
    }

    private synchronized int others() {
        return pending.size();
    }

    private Answer answer(Action action, Operator.Reply reply) {
        return switch (reply) {
            case Operator.Reply.None(var why) -> new Answer.NotAsked(why);
            case Operator.Reply.Chosen(var choice) ->
                    switch (choice) {
                        case ONCE -> new Answer.Approved(operator.name());
                        case THIS_RUN -> approveForThisRun(action);
                        case ALWAYS -> remember(action);
                        case NO -> new Answer.Refused(operator.name());
                        case NO_TO_ALL -> close();
                    };
        };
    }

    private synchronized Answer approveForThisRun(Action action) {
        approvedForThisRun.add(action);
        return new Answer.Approved(operator.name(), Term.SESSION);
    }

    private Answer remember(Action action) {
        try {
            var approval = approvals.add(action, operator.name(), clock.instant());
            return new Answer.Approved(
                    operator.name()
                            + " ("
                            + approval.source().place()
                            + ":"
                            + approval.source().line()
                            + ")",
                    Term.ALWAYS);
        } catch (UncheckedIOException | InvalidPolicyException e) {
            operator.tell("approved for this run only, as it could not be kept: " + e.getMessage());
            return approveForThisRun(action);
        }
    }

    private synchronized Answer close() {
        closed = true;
        return new Answer.Refused(operator.name() + ", to all questions", Term.SESSION);
    }
}
