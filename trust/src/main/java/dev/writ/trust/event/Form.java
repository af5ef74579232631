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
        form.fields.put("v", Event.VERSION);
        form.fields.put("at", event.at().toString());
        form.fields.put("session", event.session().value());
        form.fields.put("event", ""); // its place
        var kind = form.fill(event);
        form.fields.put("event", kind.word());
        return new Event(event.at(), event.session().value(), kind.word(), form.fields);
    }

    // A switch over types would have to be linked at each start. `EventTest` has every event.
    private EventKind fill(AuditEvent event) {
        if (event instanceof AuditEvent.Opened e) {
            opened(e);
            return EventKind.OPENED;
        }
        if (event instanceof AuditEvent.Closed e) {
            if (e.ending() != AuditEvent.Ending.INCOMPLETE) {
                put("exit", (long) e.exitCode()); // nobody saw the other
            }
            put("outcome", e.ending().word());
            put("permitted", e.counts().permitted());
            put("refused", e.counts().refused());
            put("asked", e.counts().asked());
            put("processes", e.counts().processes());
            return EventKind.CLOSED;
        }
        if (event instanceof AuditEvent.Judged e) {
            action(e.action());
            put("permitted", e.permitted());
            rule(e.rule());
            put("code", e.code());
            put("reason", e.reason());
            return EventKind.JUDGED;
        }
        if (event instanceof AuditEvent.Asked e) {
            action(e.action());
            rule(Optional.of(e.rule()));
            return EventKind.ASKED;
        }
        if (event instanceof AuditEvent.Answered e) {
            action(e.action());
            rule(Optional.of(e.rule()));
            put("answer", e.answer().word());
            put("by", e.by());
            put("term", e.term().word());
            return EventKind.ANSWERED;
        }
        if (event instanceof AuditEvent.ProcessStarted e) {
            put("process", (long) e.process());
            put("parent", (long) e.parent());
            put("program", e.program().toString());
            put("command", e.command());
            return EventKind.STARTED;
        }
        if (event instanceof AuditEvent.ProcessExited e) {
            put("process", (long) e.process());
            put("exit", (long) e.exitCode());
            return EventKind.EXITED;
        }
        if (event instanceof AuditEvent.LimitReached e) {
            put("limit", e.rule().capability().text(Scope.SPELLED_OUT));
            put("source", e.rule().source().toString());
            put("ended", e.ended());
            put("times", e.times());
            return EventKind.LIMIT;
        }
        if (event instanceof AuditEvent.WeakerAccepted e) {
            put("guarantee", e.guarantee());
            put("what", e.what());
            put("by", e.by());
            return EventKind.WEAKER;
        }
        if (event instanceof AuditEvent.TokenUsed e) {
            put("token", e.token());
            put("holder", e.holder());
            return EventKind.TOKEN_USED;
        }
        if (event instanceof AuditEvent.TokenRevoked e) {
            put("token", e.token());
            put("why", e.why());
            return EventKind.TOKEN_REVOKED;
        }
        if (event instanceof AuditEvent.Egress e) {
            egress(e);
            return EventKind.EGRESS;
        }
        if (event instanceof AuditEvent.FileWritten e) {
            put("path", e.path().toString());
            put("size", e.size());
            put("sha256", e.sha256());
            return EventKind.WRITTEN;
        }
        if (event instanceof AuditEvent.Anchored e) {
            put("checkpoint", e.checkpoint());
            return EventKind.ANCHORED;
        }
        throw new IllegalArgumentException("an event without a form: " + event.getClass());
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
        if (!e.posture().given().isEmpty()) {
            put("resolve", e.posture().given());
        }
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
