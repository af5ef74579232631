// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.event;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.Posture;
import dev.writ.core.audit.SessionId;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Rule;
import dev.writ.core.policy.Source;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A session in which everything happens once.
public final class Samples {
    public static final Instant AT = Instant.parse("2026-01-02T03:04:05.678Z");
    public static final SessionId SESSION = new SessionId("run-7-1");
    public static final String DIGEST = "ab".repeat(32);

    private Samples() {}

    public static Rule rule(Effect effect, String capability) {
        return Rule.parse(effect, capability, Scope.SPELLED_OUT, new Source("writ.yaml", 4, 5));
    }

    public static Action action(String text) {
        return Action.parse(text, Scope.SPELLED_OUT);
    }

    public static AuditEvent.Judged judged(String action, boolean permitted) {
        var rule = rule(permitted ? Effect.ALLOW : Effect.DENY, "read:/p");
        return new AuditEvent.Judged(
                AT,
                SESSION,
                action(action),
                permitted,
                Optional.of(rule),
                permitted ? "policy.allowed" : "policy.denied",
                (permitted ? "allowed by " : "denied by ") + rule);
    }

    public static AuditEvent.Opened opened(List<String> command, FilePath folder) {
        return new AuditEvent.Opened(
                AT,
                SESSION,
                DIGEST,
                "writ.yaml",
                command,
                folder,
                "process",
                new Posture(
                        "auto",
                        List.of(
                                new Posture.Guarantee("reads", Posture.Enforcer.KERNEL, ""),
                                new Posture.Guarantee(
                                        "writes", Posture.Enforcer.BROKER, "a guard is finer"),
                                new Posture.Guarantee(
                                        "signals", Posture.Enforcer.NOBODY, "Landlock is too old")),
                        List.of("signals"),
                        Map.of("landlock", "5", "release", "6.1.0")));
    }

    public static AuditEvent.FileWritten written(String path, String sha256) {
        return new AuditEvent.FileWritten(AT, SESSION, FilePath.of(path), 5, sha256);
    }

    public static AuditEvent.Egress egress(String method, String path, int status) {
        return new AuditEvent.Egress(
                AT,
                SESSION,
                "https",
                "api.github.com",
                443,
                method,
                path,
                status,
                100,
                2000,
                Duration.ofMillis(30),
                "github");
    }

    public static List<AuditEvent> all() {
        var ask = rule(Effect.ASK, "exec:/usr/bin/git push");
        var push = action("exec:/usr/bin/git push origin");
        return List.of(
                opened(List.of("make", "all"), FilePath.of("/p")),
                new AuditEvent.WeakerAccepted(
                        AT, SESSION, "signals", "signals reach outside", "--accept-weaker"),
                new AuditEvent.TokenUsed(AT, SESSION, DIGEST, "cd".repeat(32)),
                new AuditEvent.ProcessStarted(
                        AT, SESSION, 7, 0, FilePath.of("/usr/bin/make"), List.of("make", "all")),
                judged("read:/p/Makefile", true),
                judged("read:/p/.env", false),
                new AuditEvent.Asked(AT, SESSION, push, ask),
                new AuditEvent.Answered(
                        AT,
                        SESSION,
                        push,
                        ask,
                        AuditEvent.Answer.APPROVED,
                        "anna at the terminal",
                        AuditEvent.Term.SESSION),
                new AuditEvent.Judged(
                        AT,
                        SESSION,
                        push,
                        true,
                        Optional.of(ask),
                        "approval.approved",
                        "the operator is asked; approved by anna at the terminal, for this run"),
                egress("GET", "/repos/a/b?q=1", 200),
                written("/p/out.txt", Value.sha256("hello".getBytes(UTF_8))),
                new AuditEvent.LimitReached(
                        AT, SESSION, rule(Effect.ALLOW, "limit:procs=64"), false, 2),
                new AuditEvent.TokenRevoked(AT, SESSION, DIGEST, "anna"),
                new AuditEvent.ProcessExited(AT, SESSION, 7, 0),
                new AuditEvent.Closed(
                        AT.plusSeconds(3),
                        SESSION,
                        0,
                        AuditEvent.Ending.COMPLETED,
                        new AuditEvent.Counts(2, 1, 1, 1)),
                new AuditEvent.Anchored(
                        AT.plusSeconds(3),
                        SESSION,
                        "writ/log/run-7-1\n16\n"
                                + "A".repeat(43)
                                + "=\n\n\u2014 writ/log/run-7-1 x\n"));
    }
}
