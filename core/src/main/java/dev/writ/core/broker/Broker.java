// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.broker;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.AuditEvent.Answer;
import dev.writ.core.audit.AuditEvent.Term;
import dev.writ.core.audit.AuditLog;
import dev.writ.core.audit.SessionId;
import dev.writ.core.broker.Verdict.Permitted;
import dev.writ.core.broker.Verdict.Refused;
import dev.writ.core.capability.Action;
import dev.writ.core.policy.Decision;
import dev.writ.core.policy.Explanation;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Rule;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// The one door: every action an agent takes is judged here. The policy decides, the operator
/// approves, the broker gives the verdict, the record is written, and only then can a backend
/// enforce it.
public final class Broker {
    private final Policy policy;
    private final Approver approver;
    private final AuditLog audit;
    private final InstantSource clock;
    private final Supplier<Optional<String>> ended;

    public Broker(Policy policy, Approver approver, AuditLog audit, InstantSource clock) {
        this(policy, approver, audit, clock, Optional::empty);
    }

    /// @param ended why nothing may happen any more, from the time on that it says so
    public Broker(
            Policy policy,
            Approver approver,
            AuditLog audit,
            InstantSource clock,
            Supplier<Optional<String>> ended) {
        this.policy = policy;
        this.approver = approver;
        this.audit = audit;
        this.clock = clock;
        this.ended = ended;
    }

    /// Judges what `request` asks for. Whatever goes wrong, the answer is a refusal; what could not
    /// be recorded is refused, too. Waits for the operator where the policy asks for that.
    public Verdict judge(Request request) {
        try {
            return record(request, find(request, true).orElseThrow());
        } catch (NotRecorded e) {
            return e.verdict();
        }
    }

    /// Judges without waiting: nothing, and nothing recorded, if the operator has to be asked.
    public Optional<Verdict> judgeNow(Request request) {
        return find(request, false).map(finding -> record(request, finding));
    }

    /// The same for several, which are recorded together.
    ///
    /// @param sent what went out meanwhile, to be recorded before them
    public List<Optional<Verdict>> judgeNow(List<Request> requests, List<AuditEvent.Egress> sent) {
        var verdicts = new ArrayList<Optional<Verdict>>(requests.size());
        var events = new ArrayList<AuditEvent>(requests.size() + sent.size());
        events.addAll(sent);
        for (var request : requests) {
            var finding = find(request, false);
            finding.ifPresent(f -> events.add(event(request, f)));
            verdicts.add(finding.map(Finding::verdict));
        }
        try {
            // ORDER: before the caller can act on any of them.
            audit.append(events);
        } catch (RuntimeException | Error e) {
            var refused = new NotRecorded(e).verdict();
            verdicts.replaceAll(verdict -> verdict.map(_ -> refused));
        }
        return verdicts;
    }

    /// Writes down that a limit was reached. What enforces it does not wait for that: nothing more
    /// is permitted by it.
    public void reached(SessionId session, Rule rule, boolean ended, long times) {
        audit.append(new AuditEvent.LimitReached(clock.instant(), session, rule, ended, times));
    }

    /// Writes down that a process began to run a program that it was permitted to start.
    ///
    /// @param parent the process that made it; 0 for the first
    public void started(SessionId session, int process, int parent, Action.StartProgram program) {
        var command = new ArrayList<String>();
        command.add(program.program().toString());
        command.addAll(program.arguments());
        audit.append(
                new AuditEvent.ProcessStarted(
                        clock.instant(), session, process, parent, program.program(), command));
    }

    /// Writes down that such a process has ended.
    public void exited(SessionId session, int process, int exitCode) {
        audit.append(new AuditEvent.ProcessExited(clock.instant(), session, process, exitCode));
    }

    /// Writes down that something was refused which the policy had no part in: what came is not
    /// what was permitted before.
    public void refused(Request request, Reason reason) {
        audit.append(
                new AuditEvent.Judged(
                        clock.instant(),
                        request.session(),
                        request.action(),
                        false,
                        Optional.empty(),
                        reason.code(),
                        reason.sentence()));
    }

    /// A verdict that nobody knows of yet.
    ///
    /// @param rule that decided
    private record Finding(Optional<Rule> rule, Verdict verdict) {}

    private Optional<Finding> find(Request request, boolean mayWait) {
        Optional<Rule> rule = Optional.empty();
        Verdict verdict;
        try {
            var decision = policy.decide(request.action());
            rule = decision.deciding();
            if (decision instanceof Decision.Ask && !mayWait) {
                return Optional.empty();
            }
            verdict = orEnded(verdict(request, decision));
        } catch (NotRecorded e) {
            throw e;
        } catch (RuntimeException | Error e) {
            verdict =
                    new Refused(
                            new Reason(
                                    Reason.NOT_JUDGED,
                                    "could not be judged: " + e.getMessage(),
                                    ""));
        }
        return Optional.of(new Finding(rule, verdict));
    }

    /// Whether nothing may happen any more. For who was permitted something a while ago.
    public boolean isOver() {
        return ended.get().isPresent();
    }

    /// Looked at last: the operator may have taken a while to answer.
    private Verdict orEnded(Verdict verdict) {
        return verdict instanceof Permitted
                ? ended.get()
                        .<Verdict>map(why -> new Refused(new Reason(Reason.ENDED, why, "")))
                        .orElse(verdict)
                : verdict;
    }

    private Verdict verdict(Request request, Decision decision) {
        if (decision instanceof Decision.Allow(var rule)) {
            return new Permitted(new Reason(Reason.ALLOWED, "allowed by " + rule, ""));
        }
        var why = Explanation.of(policy, request.action(), decision);
        return decision instanceof Decision.Ask(var rule)
                ? answer(why, ask(request, rule))
                : new Refused(
                        new Reason(
                                decision instanceof Decision.Beyond ? Reason.BEYOND : Reason.DENIED,
                                why.reason(),
                                why.suggestion()));
    }

    /// Asks the operator. Both the question and what was said are in the record.
    private Approver.Answer ask(Request request, Rule rule) {
        append(new AuditEvent.Asked(clock.instant(), request.session(), request.action(), rule));
        var answer = approver.ask(request, rule);
        append(
                switch (answer) {
                    case Approver.Answer.Approved(var by, var term) ->
                            answered(request, rule, Answer.APPROVED, by, term);
                    case Approver.Answer.Refused(var by, var term) ->
                            answered(request, rule, Answer.REFUSED, by, term);
                    case Approver.Answer.NotAsked(var why) ->
                            answered(request, rule, Answer.NONE, why, Term.ONCE);
                });
        return answer;
    }

    private AuditEvent answered(Request request, Rule rule, Answer answer, String by, Term term) {
        return new AuditEvent.Answered(
                clock.instant(), request.session(), request.action(), rule, answer, by, term);
    }

    private static Verdict answer(Explanation why, Approver.Answer answer) {
        return switch (answer) {
            case Approver.Answer.Approved(var by, var term) ->
                    new Permitted(
                            new Reason(
                                    Reason.APPROVED,
                                    why.reason() + "; approved by " + by + words(term),
                                    ""));
            case Approver.Answer.Refused(var by, var _) ->
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

    private static String words(Term term) {
        return switch (term) {
            case ONCE -> "";
            case SESSION -> ", for this run";
            case ALWAYS -> ", for good";
        };
    }

    private Verdict record(Request request, Finding finding) {
        try {
            // ORDER: before the caller can act on it.
            append(event(request, finding));
            return finding.verdict();
        } catch (NotRecorded e) {
            return e.verdict();
        }
    }

    private AuditEvent event(Request request, Finding finding) {
        var verdict = finding.verdict();
        return new AuditEvent.Judged(
                clock.instant(),
                request.session(),
                request.action(),
                verdict instanceof Permitted,
                finding.rule(),
                verdict.reason().code(),
                verdict.reason().sentence());
    }

    private void append(AuditEvent event) {
        try {
            audit.append(event);
        } catch (RuntimeException | Error e) {
            throw new NotRecorded(e);
        }
    }

    /// The record could not be written, so nothing may happen.
    private static final class NotRecorded extends RuntimeException {
        private static final long serialVersionUID = 1;

        NotRecorded(Throwable cause) {
            super("could not be recorded: " + cause.getMessage(), cause);
        }

        Verdict verdict() {
            return new Refused(new Reason(Reason.NOT_RECORDED, String.valueOf(getMessage()), ""));
        }
    }
}
