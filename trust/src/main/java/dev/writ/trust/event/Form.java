// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.event;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.Posture;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.Scope;
import dev.writ.core.policy.Rule;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The one JSON form of each event. Paths are spelled out, so that they mean the same elsewhere.
final class Form {
    private final Map<String, @Nullable Object> fields = new LinkedHashMap<>();

    private Form() {}

    static Event of(AuditEvent event) {
        var form = new Form();
        var kind = kind(event);
        form.fields.put("v", Event.VERSION);
        form.fields.put("at", event.at().toString());
        form.fields.put("session", event.session().value());
        form.fields.put("event", kind.word());
        form.fill(event);
        return new Event(event.at(), event.session().value(), kind.word(), form.fields);
    }

    private static EventKind kind(AuditEvent event) {
        return switch (event) {
            case AuditEvent.Opened _ -> EventKind.OPENED;
            case AuditEvent.Closed _ -> EventKind.CLOSED;
            case AuditEvent.Judged _ -> EventKind.JUDGED;
            case AuditEvent.Asked _ -> EventKind.ASKED;
            case AuditEvent.Answered _ -> EventKind.ANSWERED;
            case AuditEvent.ProcessStarted _ -> EventKind.STARTED;
            case AuditEvent.ProcessExited _ -> EventKind.EXITED;
            case AuditEvent.LimitReached _ -> EventKind.LIMIT;
            case AuditEvent.WeakerAccepted _ -> EventKind.WEAKER;
            case AuditEvent.TokenUsed _ -> EventKind.TOKEN_USED;
            case AuditEvent.TokenRevoked _ -> EventKind.TOKEN_REVOKED;
            case AuditEvent.Egress _ -> EventKind.EGRESS;
            case AuditEvent.FileWritten _ -> EventKind.WRITTEN;
            case AuditEvent.Anchored _ -> EventKind.ANCHORED;
        };
    }

    private void fill(AuditEvent event) {
        switch (event) {
            case AuditEvent.Opened e -> opened(e);
            case AuditEvent.Closed e -> {
                put("exit", (long) e.exitCode());
                put("outcome", e.ending().word());
                put("permitted", e.counts().permitted());
                put("refused", e.counts().refused());
                put("asked", e.counts().asked());
                put("processes", e.counts().processes());
            }
            case AuditEvent.Judged e -> {
                action(e.action());
                put("permitted", e.permitted());
                rule(e.rule());
                put("code", e.code());
                put("reason", e.reason());
            }
            case AuditEvent.Asked e -> {
                action(e.action());
                rule(Optional.of(e.rule()));
            }
            case AuditEvent.Answered e -> {
                action(e.action());
                rule(Optional.of(e.rule()));
                put("answer", e.answer().word());
                put("by", e.by());
                put("term", e.term().word());
            }
            case AuditEvent.ProcessStarted e -> {
                put("process", (long) e.process());
                put("parent", (long) e.parent());
                put("program", e.program().toString());
                put("command", e.command());
            }
            case AuditEvent.ProcessExited e -> {
                put("process", (long) e.process());
                put("exit", (long) e.exitCode());
            }
            case AuditEvent.LimitReached e -> {
                put("limit", e.rule().capability().text(Scope.SPELLED_OUT));
                put("source", e.rule().source().toString());
                put("ended", e.ended());
                put("times", e.times());
            }
            case AuditEvent.WeakerAccepted e -> {
                put("guarantee", e.guarantee());
                put("what", e.what());
                put("by", e.by());
            }
            case AuditEvent.TokenUsed e -> {
                put("token", e.token());
                put("holder", e.holder());
            }
            case AuditEvent.TokenRevoked e -> {
                put("token", e.token());
                put("by", e.by());
            }
            case AuditEvent.Egress e -> egress(e);
            case AuditEvent.FileWritten e -> {
                put("path", e.path().toString());
                put("size", e.size());
                put("sha256", e.sha256());
            }
            case AuditEvent.Anchored e -> put("checkpoint", e.checkpoint());
        }
    }

    private void opened(AuditEvent.Opened e) {
        put("policy", e.policy());
        put("source", e.source());
        put("command", e.command());
        put("folder", e.folder().toString());
        put("backend", e.backend());
        put("isolation", e.posture().isolation());
        put("guarantees", e.posture().guarantees().stream().map(Form::guarantee).toList());
        put("weaker", e.posture().acceptedWeaker());
        put("kernel", new TreeMap<>(e.posture().kernel()));
    }

    private static Map<String, Object> guarantee(Posture.Guarantee guarantee) {
        var map = new LinkedHashMap<String, Object>();
        map.put("name", guarantee.name());
        map.put("by", guarantee.by().word());
        map.put("why", guarantee.why());
        return map;
    }

    private void egress(AuditEvent.Egress e) {
        put("scheme", e.scheme());
        put("host", e.host());
        put("port", (long) e.port());
        put("method", e.method());
        put("path", e.path());
        put("status", (long) e.status());
        put("up", e.up());
        put("down", e.down());
        put("millis", e.took().toMillis());
        put("secret", e.secret());
    }

    private void action(Action action) {
        put("action", action.text(Scope.SPELLED_OUT));
    }

    private void rule(Optional<Rule> rule) {
        put("rule", rule.map(Rule::written).orElse(""));
        put("source", rule.map(r -> r.source().toString()).orElse(""));
    }

    private void put(String name, Object value) {
        fields.put(name, Value.of(value));
    }
}
