// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.backends.program.Programs;
import dev.writ.backends.program.Starts;
import dev.writ.core.audit.SessionId;
import dev.writ.core.broker.Broker;
import dev.writ.core.broker.Reason;
import dev.writ.core.broker.Request;
import dev.writ.core.broker.Verdict;
import dev.writ.core.capability.Action;
import dev.writ.core.policy.Policy;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// Judges the program that a process has just become, before it runs.
final class ExecStop {
    private static final Verdict FINE =
            new Verdict.Permitted(new Reason(Reason.ALLOWED, "nothing speaks against it", ""));

    private final Policy policy;
    private final Broker broker;
    private final SessionId session;
    private final Programs programs;

    ExecStop(Policy policy, Broker broker, SessionId session) {
        this.policy = policy;
        this.broker = broker;
        this.session = session;
        this.programs = Programs.of(policy);
    }

    /// The verdict on what `task` has become; nothing if the operator has to be asked, who is heard
    /// by `later`.
    Optional<Verdict> judge(int task, Consumer<Verdict> later) {
        try {
            return switch (programs.starts(task)) {
                case Starts.Unclear(var why) ->
                        Optional.of(new Verdict.Refused(new Reason(Reason.NOT_JUDGED, why, "")));
                case Starts.Known known -> judge(known.questions(policy), later);
            };
        } catch (RuntimeException e) {
            return Optional.of(
                    new Verdict.Refused(
                            new Reason(
                                    Reason.NOT_JUDGED,
                                    "could not be judged: " + e.getMessage(),
                                    "")));
        }
    }

    private Optional<Verdict> judge(List<Action.StartProgram> questions, Consumer<Verdict> later) {
        for (int i = 0; i < questions.size(); i++) {
            var verdict = broker.judgeNow(new Request(session, questions.get(i)));
            if (verdict.isEmpty()) {
                ask(questions.subList(i, questions.size()), later);
                return verdict;
            }
            if (verdict.get() instanceof Verdict.Refused) {
                return verdict;
            }
        }
        return Optional.of(FINE);
    }

    private void ask(List<Action.StartProgram> questions, Consumer<Verdict> later) {
        Thread.ofPlatform()
                .daemon()
                .name("writ-asking")
                .start(
                        () ->
                                later.accept(
                                        questions.stream()
                                                .map(q -> broker.judge(new Request(session, q)))
                                                .filter(Verdict.Refused.class::isInstance)
                                                .findFirst()
                                                .orElse(FINE)));
    }
}
