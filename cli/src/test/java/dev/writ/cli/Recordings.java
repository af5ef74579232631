// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.Posture;
import dev.writ.core.audit.SessionId;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import dev.writ.runtime.record.Installation;
import dev.writ.trust.attest.AgentRun;
import dev.writ.trust.attest.Attestation;
import dev.writ.trust.attest.Collector;
import dev.writ.trust.event.Entry;
import dev.writ.trust.key.Keys.Purpose;
import dev.writ.trust.log.Checkpoint;
import dev.writ.trust.log.Durability;
import dev.writ.trust.log.Log;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Makes records as runs leave them, with real logs and keys.
final class Recordings {
    static final Instant AT = Instant.parse("2026-01-02T03:04:05.678Z");

    private final Installation installation;

    Recordings(Installation installation) {
        this.installation = installation;
    }

    /// A run from its beginning to its end, with these events in between.
    SessionId run(String name, AuditEvent... events) throws IOException {
        var session = new SessionId(name);
        var all = new ArrayList<AuditEvent>();
        all.add(opened(session));
        all.addAll(List.of(events));
        all.add(
                new AuditEvent.Closed(
                        AT,
                        session,
                        0,
                        AuditEvent.Ending.COMPLETED,
                        new AuditEvent.Counts(1, 1, 0, 1)));
        var collector = new Collector(name);
        try (var log = log(session)) {
            anchor(session, "");
            for (var event : all) {
                var entry = Entry.of(event);
                log.append(entry.bytes(), Durability.SOON);
                collector.add(entry.event());
            }
            var head = log.sign();
            anchor(session, head.note());
            attest(session, collector, head);
        }
        return session;
    }

    /// A run that was killed: its last entries are not signed.
    void killed(String name, boolean signed, AuditEvent... events) {
        var session = new SessionId(name);
        anchor(session, "");
        try (var log = log(session)) {
            log.append(Entry.of(opened(session)).bytes(), Durability.BEFORE_EFFECT);
            if (signed) {
                log.sign();
            }
            for (var event : events) {
                log.append(Entry.of(event).bytes(), Durability.BEFORE_EFFECT);
            }
        }
    }

    Log log(SessionId session) {
        var origin = Installation.origin(session);
        return Log.open(
                installation.log(session), installation.keys().signing(Purpose.LOG, origin));
    }

    private void anchor(SessionId session, String checkpoint) {
        var origin = Installation.origin();
        var key = installation.keys().signing(Purpose.LOG, origin);
        try (var log =
                Log.open(
                        installation.log(),
                        key,
                        installation.verifying(origin),
                        Duration.ofSeconds(10))) {
            var event = new AuditEvent.Anchored(AT, session, checkpoint);
            log.append(Entry.of(event).bytes(), Durability.BEFORE_EFFECT);
            if (!checkpoint.isEmpty()) {
                log.sign();
            }
        }
    }

    private void attest(SessionId session, Collector collector, Checkpoint head)
            throws IOException {
        var range = new AgentRun.LogRange(head.origin(), 0, head.size() - 1, head.note());
        var key = installation.keys().signing(Purpose.ATTEST, "writ/attest");
        Files.write(
                installation.attestation(session),
                Attestation.sign(
                        collector.run("test", Optional.of(range)),
                        key.verifying().fingerprint(),
                        key::sign));
    }

    static AuditEvent opened(SessionId session) {
        return new AuditEvent.Opened(
                AT,
                session,
                "ab".repeat(32),
                "writ.yaml",
                List.of("make", "all"),
                FilePath.of("/p"),
                "process",
                new Posture(
                        "auto",
                        List.of(
                                new Posture.Guarantee("reads", Posture.Enforcer.BROKER, ""),
                                new Posture.Guarantee(
                                        "signals", Posture.Enforcer.NOBODY, "Landlock is too old")),
                        List.of("signals"),
                        Map.of("landlock", "5")));
    }

    static AuditEvent judged(String session, Action action, boolean permitted) {
        return new AuditEvent.Judged(
                AT,
                new SessionId(session),
                action,
                permitted,
                Optional.empty(),
                permitted ? "policy.allowed" : "policy.denied",
                permitted ? "a rule allows it" : "no rule allows it");
    }

    static AuditEvent judged(String session, String action, boolean permitted) {
        return judged(session, Action.parse(action, Scope.SPELLED_OUT), permitted);
    }
}
