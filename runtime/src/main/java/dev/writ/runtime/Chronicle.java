// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.AuditEvent.Counts;
import dev.writ.core.audit.AuditEvent.Ending;
import dev.writ.core.audit.AuditLog;
import dev.writ.core.audit.Posture;
import dev.writ.core.audit.SessionId;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Limit.Resource;
import dev.writ.core.policy.Canonical;
import dev.writ.core.policy.Policy;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// Writes down how a session began and how it ended, around everything else that happens in it.
final class Chronicle implements AuditLog, AutoCloseable {
    private static final int DENIED = 126;
    private static final int TIME_OVER = 124;
    private static final int LOWEST_SIGNAL = 128;

    private final SessionId session;
    private final Policy policy;
    private final String source;
    private final AuditLog log;
    private final InstantSource clock;
    private final Optional<SessionToken> token;
    private final List<String> given;

    // All guarded by this.
    private boolean opened;
    private int first;
    private int exitCode = DENIED;
    private boolean limited;
    private boolean timeOver;
    private long permitted;
    private long refused;
    private long asked;
    private long processes;

    /// @param policy as the operator wrote it
    Chronicle(SessionId session, Policy policy, String source, AuditLog log, InstantSource clock) {
        this(session, policy, source, log, clock, Optional.empty(), List.of());
    }

    /// @param token that it is opened with
    /// @param given where the operator lets names lead
    Chronicle(
            SessionId session,
            Policy policy,
            String source,
            AuditLog log,
            InstantSource clock,
            Optional<SessionToken> token,
            List<String> given) {
        this.token = token;
        this.given = given;
        this.session = session;
        this.policy = policy;
        this.source = source;
        this.log = log;
        this.clock = clock;
    }

    /// Writes down that the session begins, the first time that something of it is to start.
    ///
    /// @return whether this was that time
    synchronized boolean open(
            List<String> command, FilePath folder, String backend, Supplier<Posture> posture) {
        if (opened) {
            return false;
        }
        var now = clock.instant();
        var kept = posture.get().giving(given);
        log.append(
                new AuditEvent.Opened(
                        now,
                        session,
                        Canonical.digest(policy),
                        source,
                        command,
                        folder,
                        backend,
                        kept));
        token.ifPresent(t -> log.append(t.used(now)));
        opened = true;
        for (var weaker : kept.acceptedWeaker()) {
            log.append(
                    new AuditEvent.WeakerAccepted(
                            now, session, weaker, "not there on this machine", "the operator"));
        }
        return true;
    }

    @Override
    public void append(AuditEvent event) {
        append(List.of(event));
    }

    @Override
    public void append(List<AuditEvent> events) {
        log.append(events);
        events.forEach(this::note);
    }

    private synchronized void note(AuditEvent event) {
        if (event instanceof AuditEvent.Judged judged) {
            permitted += judged.permitted() ? 1 : 0;
            refused += judged.permitted() ? 0 : 1;
        } else if (event instanceof AuditEvent.Asked) {
            asked++;
        } else if (event instanceof AuditEvent.ProcessStarted started) {
            processes++;
            first = started.parent() == 0 ? started.process() : first;
        } else if (event instanceof AuditEvent.ProcessExited exited) {
            exitCode = exited.process() == first ? exited.exitCode() : exitCode;
        } else if (event instanceof AuditEvent.LimitReached reached && reached.ended()) {
            limited = true;
            timeOver |= policy.limitRule(Resource.TIME).filter(reached.rule()::equals).isPresent();
        }
    }

    /// It ended, although no program of it ever started.
    synchronized void ended(int code) {
        exitCode = code;
    }

    /// Writes down that nothing of the session runs any more, if something ever did.
    @Override
    public synchronized void close() {
        if (opened) {
            opened = false;
            log.append(
                    new AuditEvent.Closed(
                            clock.instant(),
                            session,
                            timeOver ? TIME_OVER : exitCode,
                            ending(),
                            new Counts(permitted, refused, asked, processes)));
        }
    }

    private Ending ending() {
        if (limited || exitCode > LOWEST_SIGNAL) {
            return Ending.KILLED;
        }
        return exitCode == 0 ? Ending.COMPLETED : Ending.FAILED;
    }
}
