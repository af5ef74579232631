// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.approval;

import dev.writ.core.broker.Approver;
import dev.writ.core.broker.Asker;
import dev.writ.core.broker.Request;
import dev.writ.core.capability.Action;
import dev.writ.core.policy.Rule;
import dev.writ.runtime.policy.Approvals;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Where questions to the operator arrive. What was approved before, for this run or for good, is
/// answered from memory. The rest is asked in the order in which it came, one question at a time;
/// those who want the same while it waits for its turn share one question. An agent can ask as much
/// as it likes, so only so many may wait.
public final class Desk implements Approver {
    private static final int MOST_WAITING = 48;

    private final Operator operator;
    private final Given given;

    /// Held by the one whose question is asked.
    private final ReentrantLock turn = new ReentrantLock(true);

    // guarded by this
    private final Map<Same, Pending> pending = new HashMap<>();
    private int waiting;

    /// What those have in common who share a question.
    private record Same(Action action, Asker.Circumstances circumstances) {}

    /// A question that has not been asked yet, and those who share it.
    private static final class Pending {
        private final List<Asker> askers = new ArrayList<>();
        private @Nullable Answer answer;
    }

    public Desk(Operator operator, Approvals approvals, InstantSource clock) {
        this.operator = operator;
        this.given = new Given(approvals, clock);
    }

    @Override
    public Answer ask(Request request, Rule rule) {
        var known = given.find(request.action());
        if (known.isPresent()) {
            return known.get();
        }
        // Not under the lock: it looks at processes.
        var same = new Same(request.action(), request.asker().circumstances());
        Pending mine;
        synchronized (this) {
            if (waiting == MOST_WAITING) {
                return new Answer.NotAsked(
                        "not asked, because "
                                + MOST_WAITING
                                + " others wait for an answer already");
            }
            waiting++;
            mine = pending.computeIfAbsent(same, _ -> new Pending());
            mine.askers.add(request.asker());
        }
        turn.lock();
        try {
            return answer(mine, same, rule);
        } finally {
            turn.unlock();
            synchronized (this) {
                waiting--;
            }
        }
    }

    private Answer answer(Pending mine, Same same, Rule rule) {
        var action = same.action();
        Question question;
        synchronized (this) {
            if (mine.answer != null) {
                return mine.answer; // given to one that shares the question
            }
            // Whoever comes from now on has not been shown to the operator, and asks anew.
            pending.remove(same, mine);
            var known = given.find(action);
            if (known.isPresent()) {
                mine.answer = known.get();
                return known.get();
            }
            question =
                    new Question(
                            action,
                            rule,
                            mine.askers,
                            same.circumstances(),
                            given.approvals().rule(action).orElse(""),
                            given.approvals().file().toString(),
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
                    given.give(action, choice, operator.name(), operator::tell);
        };
    }
}
