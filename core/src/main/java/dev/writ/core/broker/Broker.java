// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.broker;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.AuditLog;
import dev.writ.core.audit.SessionId;
import dev.writ.core.broker.Verdict.Permitted;
import dev.writ.core.broker.Verdict.Refused;
import dev.writ.core.policy.Decision;
import dev.writ.core.policy.Explanation;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Rule;
import java.time.InstantSource;
import java.util.Optional;

/// The one door: every action an agent takes is judged here. The policy decides, the operator
/// approves, the broker gives the verdict, the record is written, and only then can a backend
/// enforce it.
public final class Broker {
    private final Policy policy;
    private final Approver approver;
    private final AuditLog audit;
    private final InstantSource clock;

    public Broker(Policy policy, Approver approver, AuditLog audit, InstantSource clock) {
        this.policy = policy;
        this.approver = approver;
        this.audit = audit;
        this.clock = clock;
    }

    /// Judges what `request` asks for. Whatever goes wrong, the answer is a refusal; what could not
    /// be recorded is refused, too. Waits for the operator where the policy asks for that.
    public Verdict judge(Request request) {
        return record(request, judgeOrRefuse(request, true).orElseThrow());
    }

    /// Judges without waiting: nothing, and nothing recorded, if the operator has to be asked.
    public Optional<Verdict> judgeNow(Request request) {
        return judgeOrRefuse(request, false).map(verdict -> record(request, verdict));
    }

    /// Writes down that a limit was reached. What enforces it does not wait for that: nothing more
    /// is permitted by it.
    public void reached(SessionId session, Rule rule, boolean ended, long times) {
        audit.append(new AuditEvent.LimitReached(clock.instant(), session, rule, ended, times));
    }

    private Verdict record(Request request, Verdict verdict) {
        try {
            // ORDER: before the caller can act on it.
            audit.append(event(request, verdict));
            return verdict;
        } catch (RuntimeException | Error e) {
            return new Refused(
                    new Reason(
                            Reason.NOT_RECORDED, "could not be recorded: " + e.getMessage(), ""));
        }
    }

    private Optional<Verdict> judgeOrRefuse(Request request, boolean mayWait) {
        try {
            var decision = policy.decide(request.action());
            if (decision instanceof Decision.Allow(var rule)) {
                return Optional.of(
                        new Permitted(new Reason(Reason.ALLOWED, "allowed by " + rule, "")));
            }
            if (decision instanceof Decision.Ask(var rule)) {
                return mayWait
                        ? Optional.of(
                                answer(
                                        Explanation.of(policy, request.action(), decision),
                                        approver.ask(request, rule)))
                        : Optional.empty();
            }
            return Optional.of(refused(request, decision));
        } catch (RuntimeException | Error e) {
            return Optional.of(
                    new Refused(
                            new Reason(
                                    Reason.NOT_JUDGED,
                                    "could not be judged: " + e.getMessage(),
                                    "")));
        }
    }

    private static Verdict answer(Explanation why, Approver.Answer answer) {
        return switch (answer) {
            case Approver.Answer.Approved(var by) ->
                    new Permitted(
                            new Reason(Reason.APPROVED, why.reason() + "; approved by " + by, ""));
            case Approver.Answer.Refused(var by) ->
                    new Refused(
                            new Reason(Reason.REFUSED, why.reason() + "; refused by " + by, ""));
            case Approver.Answer.NotAsked(var cause) ->
                    new Refused(
                            new Reason(
                                    Reason.NOT_ASKED,
                                    why.reason() + "; " + cause,
                                    why.suggestion()));
        };
    }

    private Verdict refused(Request request, Decision decision) {
        var why = Explanation.of(policy, request.action(), decision);
        return new Refused(new Reason(Reason.DENIED, why.reason(), why.suggestion()));
    }

    private AuditEvent event(Request request, Verdict verdict) {
        return new AuditEvent.Judged(
                clock.instant(),
                request.session(),
                request.action(),
                verdict instanceof Permitted,
                verdict.reason().code(),
                verdict.reason().sentence());
    }
}
