// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.Arbitrary;
import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.AuditEvent.Term;
import dev.writ.core.audit.AuditLog;
import dev.writ.core.audit.InMemoryAuditLog;
import dev.writ.core.audit.SessionId;
import dev.writ.core.capability.Action;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Rule;
import dev.writ.core.policy.Source;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class BrokerTest {
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.EPOCH);
    private static final SessionId SESSION = new SessionId("s1");
    private static final Approver YES = (_, _) -> new Approver.Answer.Approved("anna");
    private static final Approver BROKEN =
            (_, _) -> {
                throw new IllegalStateException("no terminal");
            };

    private final InMemoryAuditLog log = new InMemoryAuditLog();

    @Test
    void what_a_rule_allows_is_permitted_and_recorded() {
        var verdict = broker(YES, log).judge(request("read:/a/x"));

        assertThat(verdict).isInstanceOf(Verdict.Permitted.class);
        assertThat(log.events())
                .containsExactly(
                        new AuditEvent.Judged(
                                Instant.EPOCH,
                                SESSION,
                                action("read:/a/x"),
                                true,
                                Optional.of(rule(Effect.ALLOW, "read:/a")),
                                Reason.ALLOWED,
                                verdict.reason().sentence()));
    }

    @Test
    void what_no_rule_allows_is_refused_with_reason_and_hint_and_recorded() {
        var verdict = broker(YES, log).judge(request("read:/c"));

        assertThat(verdict.reason())
                .isEqualTo(
                        new Reason(Reason.DENIED, "no rule allows it", "add `read:/c` to `allow`"));
        assertThat(verdict).isInstanceOf(Verdict.Refused.class);
        assertThat(log.events()).hasSize(1);
    }

    @Test
    void an_ask_is_what_the_operator_says() {
        assertThat(broker(YES, log).judge(request("read:/q")))
                .isInstanceOf(Verdict.Permitted.class);
        assertThat(
                        broker((_, _) -> new Approver.Answer.Refused("anna"), log)
                                .judge(request("read:/q")))
                .isEqualTo(
                        new Verdict.Refused(
                                new Reason(
                                        Reason.REFUSED,
                                        "the operator is asked, by `read:/q` (test); refused by anna",
                                        "")));
    }

    @Test
    void without_anybody_to_ask_the_refusal_says_so_and_what_would_allow_it() {
        assertThat(broker(Approver.nobody(), log).judge(request("read:/q")))
                .isEqualTo(
                        new Verdict.Refused(
                                new Reason(
                                        Reason.NOT_ASKED,
                                        "the operator is asked, by `read:/q` (test); nobody is there to ask",
                                        "move that rule from `ask` to `allow` to stop being asked")));
    }

    @Test
    void the_operator_is_not_asked_about_what_is_denied() {
        assertThat(broker(BROKEN, log).judge(request("read:/a/no")).reason().code())
                .isEqualTo(Reason.DENIED);
    }

    @Test
    void an_approver_that_fails_is_a_refusal_and_recorded() {
        var verdict = broker(BROKEN, log).judge(request("read:/q"));

        assertThat(verdict)
                .isEqualTo(
                        new Verdict.Refused(
                                new Reason(
                                        Reason.NOT_JUDGED,
                                        "could not be judged: no terminal",
                                        "")));
        assertThat(log.events())
                .extracting(e -> (Object) e.getClass())
                .containsExactly(AuditEvent.Asked.class, AuditEvent.Judged.class);
    }

    @Test
    void what_cannot_be_recorded_is_refused() {
        AuditLog full =
                _ -> {
                    throw new IllegalStateException("disk full");
                };

        var verdict = broker(YES, full).judge(request("read:/a/x"));

        assertThat(verdict)
                .isEqualTo(
                        new Verdict.Refused(
                                new Reason(
                                        Reason.NOT_RECORDED,
                                        "could not be recorded: disk full",
                                        "")));
    }

    @Test
    void question_and_answer_are_in_the_record_with_who_and_for_how_long() {
        Approver always = (_, _) -> new Approver.Answer.Approved("anna", Term.ALWAYS);
        var rule = rule(Effect.ASK, "read:/q");

        var verdict = broker(always, log).judge(request("read:/q"));

        assertThat(verdict.reason().sentence()).endsWith("; approved by anna, for good");
        assertThat(log.events())
                .containsExactly(
                        new AuditEvent.Asked(Instant.EPOCH, SESSION, action("read:/q"), rule),
                        new AuditEvent.Answered(
                                Instant.EPOCH,
                                SESSION,
                                action("read:/q"),
                                rule,
                                AuditEvent.Answer.APPROVED,
                                "anna",
                                Term.ALWAYS),
                        new AuditEvent.Judged(
                                Instant.EPOCH,
                                SESSION,
                                action("read:/q"),
                                true,
                                Optional.of(rule),
                                Reason.APPROVED,
                                verdict.reason().sentence()));
    }

    @Test
    void nobody_is_asked_what_could_not_be_recorded_as_asked() {
        AuditLog full =
                event -> {
                    if (event instanceof AuditEvent.Asked) {
                        throw new IllegalStateException("disk full");
                    }
                };

        assertThat(broker(BROKEN, full).judge(request("read:/q")).reason())
                .isEqualTo(new Reason(Reason.NOT_RECORDED, "could not be recorded: disk full", ""));
    }

    @Test
    void an_answer_that_cannot_be_recorded_is_a_refusal() {
        AuditLog full =
                event -> {
                    if (event instanceof AuditEvent.Answered) {
                        throw new IllegalStateException("disk full");
                    }
                };

        assertThat(broker(YES, full).judge(request("read:/q"))).isInstanceOf(Verdict.Refused.class);
    }

    @Test
    void without_waiting_a_question_leaves_no_record() {
        assertThat(broker(BROKEN, log).judgeNow(request("read:/q"))).isEmpty();
        assertThat(log.events()).isEmpty();
    }

    @Test
    void several_are_judged_each_by_itself_and_recorded_together() {
        var batches = new ArrayList<List<AuditEvent>>();
        var together =
                new AuditLog() {
                    @Override
                    public void append(AuditEvent event) {
                        throw new IllegalStateException("one by one");
                    }

                    @Override
                    public void append(List<AuditEvent> events) {
                        batches.add(List.copyOf(events));
                    }
                };

        var verdicts =
                broker(BROKEN, together)
                        .judgeNow(
                                List.of(
                                        request("read:/a/x"),
                                        request("read:/q"),
                                        request("read:/a/no")),
                                List.of());

        assertThat(verdicts.get(0)).get().isInstanceOf(Verdict.Permitted.class);
        assertThat(verdicts.get(1)).isEmpty();
        assertThat(verdicts.get(2)).get().isInstanceOf(Verdict.Refused.class);
        assertThat(batches).hasSize(1);
        assertThat(batches.getFirst())
                .extracting(e -> ((AuditEvent.Judged) e).action())
                .containsExactly(action("read:/a/x"), action("read:/a/no"));
    }

    @Test
    void what_went_out_meanwhile_is_recorded_before_the_verdicts() {
        var sent =
                new AuditEvent.Egress(
                        Instant.EPOCH,
                        SESSION,
                        "http",
                        "a.test",
                        80,
                        "GET",
                        "/",
                        200,
                        1,
                        2,
                        Duration.ZERO,
                        "");

        broker(BROKEN, log).judgeNow(List.of(request("read:/a/x")), List.of(sent));

        assertThat(log.events()).hasSize(2);
        assertThat(log.events().getFirst()).isEqualTo(sent);
    }

    @Test
    void if_one_of_several_cannot_be_recorded_none_may_happen() {
        AuditLog full =
                event -> {
                    if (event instanceof AuditEvent.Judged judged && !judged.permitted()) {
                        throw new IllegalStateException("disk full");
                    }
                };

        var verdicts =
                broker(YES, full)
                        .judgeNow(List.of(request("read:/a/x"), request("read:/a/no")), List.of());

        assertThat(verdicts)
                .allSatisfy(
                        v ->
                                assertThat(v.orElseThrow().reason().code())
                                        .isEqualTo(Reason.NOT_RECORDED));
    }

    @Test
    void the_record_is_written_before_the_answer_is_given() {
        var order = new StringBuilder();
        var broker =
                broker(
                        (_, _) -> {
                            order.append("asked ");
                            return new Approver.Answer.Approved("anna");
                        },
                        _ -> order.append("recorded "));

        broker.judge(request("read:/q"));

        assertThat(order.append("answered"))
                .hasToString("recorded asked recorded recorded answered");
    }

    private static Broker broker(Approver approver, AuditLog log) {
        var rules =
                List.of(
                        rule(Effect.ALLOW, "read:/a"),
                        rule(Effect.DENY, "read:/a/no"),
                        rule(Effect.ASK, "read:/q"));
        return new Broker(Policy.of(Arbitrary.SCOPE, rules, List.of()), approver, log, CLOCK);
    }

    private static Rule rule(Effect effect, String capability) {
        return Rule.parse(effect, capability, Arbitrary.SCOPE, Source.of("test"));
    }

    private static Request request(String action) {
        return new Request(SESSION, action(action));
    }

    private static Action action(String text) {
        return Action.parse(text, Arbitrary.SCOPE);
    }
}
