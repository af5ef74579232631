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
            return switch (policy.decide(request.action())) {
                case Decision.Allow _ -> new Permitted(explain(request, Reason.ALLOWED));
                case Decision.Deny _ -> new Refused(explain(request, Reason.DENIED));
                case Decision.Ask(var rule) -> answer(request, approver.ask(request, rule));
            };
        } catch (RuntimeException e) {
            return new Refused(
                    new Reason(Reason.NOT_JUDGED, "could not be judged: " + e.getMessage(), ""));
        }
    }

    private Verdict answer(Request request, Approver.Answer answer) {
        String question = explain(request, Reason.APPROVED).sentence();
        return switch (answer) {
            case Approver.Answer.Approved(var by) ->
                    new Permitted(
                            new Reason(Reason.APPROVED, question + "; approved by " + by, ""));
            case Approver.Answer.Refused(var by) ->
                    new Refused(new Reason(Reason.REFUSED, question + "; refused by " + by, ""));
        };
    }

    private Reason explain(Request request, String code) {
        var explanation = Explanation.of(policy, request.action());
        return new Reason(code, explanation.reason(), explanation.suggestion());
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
