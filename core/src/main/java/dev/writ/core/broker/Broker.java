// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.broker;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.AuditLog;
import dev.writ.core.broker.Verdict.Permitted;
import dev.writ.core.broker.Verdict.Refused;
import dev.writ.core.policy.Decision;
import dev.writ.core.policy.Explanation;
import dev.writ.core.policy.Policy;
import java.time.InstantSource;

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
    /// be recorded is refused, too.
    public Verdict judge(Request request) {
        var verdict = judgeOrRefuse(request);
        try {
            // ORDER: before the caller can act on it.
            audit.append(event(request, verdict));
            return verdict;
        } catch (RuntimeException e) {
            return new Refused(
                    new Reason(
                            Reason.NOT_RECORDED, "could not be recorded: " + e.getMessage(), ""));
        }
    }

    private Verdict judgeOrRefuse(Request request) {
        try {
            var decision = policy.decide(request.action());
            var why = Explanation.of(policy, request.action(), decision);
            return switch (decision) {
                case Decision.Allow _ -> new Permitted(reason(Reason.ALLOWED, why));
                case Decision.Deny _ -> new Refused(reason(Reason.DENIED, why));
                case Decision.Ask(var rule) -> answer(why, approver.ask(request, rule));
            };
        } catch (RuntimeException e) {
            return new Refused(
                    new Reason(Reason.NOT_JUDGED, "could not be judged: " + e.getMessage(), ""));
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
        };
    }

    private static Reason reason(String code, Explanation why) {
        return new Reason(code, why.reason(), why.suggestion());
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
