// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.record;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.AuditLog;
import dev.writ.core.audit.SessionId;
import dev.writ.core.capability.Action;
import dev.writ.trust.attest.Collector;
import dev.writ.trust.event.Credentials;
import dev.writ.trust.event.Entry;
import dev.writ.trust.key.KeyException;
import dev.writ.trust.log.Durability;
import dev.writ.trust.log.Log;
import dev.writ.trust.log.LogException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.security.SecureRandom;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The record of one session, while it runs: each of its events goes into its log, and what permits
/// something is on the disk before it happens. At the end the log is signed, its head anchored in
/// the log of the installation, and the session attested.
///
/// Nothing is written before the first event.
public final class SessionRecord implements AuditLog, AutoCloseable {
    private final Installation installation;
    private final SessionId session;
    private final String version;
    private final Collector collector;
    private final WrittenFiles written = new WrittenFiles();
    private final Credentials credentials = new Credentials();
    private final SecureRandom salts = new SecureRandom();
    private volatile @Nullable Log log; // made once, guarded by this

    /// @param version of Writ, for the attestation
    public SessionRecord(Installation installation, SessionId session, String version) {
        this.installation = installation;
        this.session = session;
        this.version = version;
        this.collector = new Collector(session.value());
    }

    /// @throws RecordException if it cannot be kept
    @Override
    public void append(AuditEvent event) {
        if (event instanceof AuditEvent.Closed closed) {
            written.look(closed.at(), session, this::write);
        } else if (event instanceof AuditEvent.Judged judged && judged.permitted()) {
            written.note(judged.action());
        }
        write(event);
    }

    private void write(AuditEvent event) {
        var entry = entry(event);
        try {
            var open = log();
            // ORDER: what an entry commits to is there before the entry is.
            if (!entry.disclosures().isEmpty()) {
                installation.disclose(session, entry.disclosures());
            }
            open.append(entry.bytes(), durability(event));
        } catch (LogException | UncheckedIOException e) {
            throw new RecordException("the record cannot be written", e);
        }
        collector.add(entry.event());
    }

    /// Words that an agent chose may hold a credential, which the record must not. Names of files
    /// hold none, and there are many of them.
    private Entry entry(AuditEvent event) {
        boolean file =
                event instanceof AuditEvent.FileWritten
                        || (event instanceof AuditEvent.Judged judged
                                && (judged.action() instanceof Action.ReadFile
                                        || judged.action() instanceof Action.WriteFile));
        return file ? Entry.of(event) : Entry.of(event, credentials, salts);
    }

    /// What lets something happen that leaves a trace has to be on the disk before it does. What
    /// was read, refused or is over can follow soon.
    private static Durability durability(AuditEvent event) {
        boolean lasting =
                event instanceof AuditEvent.Judged judged
                        ? judged.permitted() && !(judged.action() instanceof Action.ReadFile)
                        : !(event instanceof AuditEvent.ProcessStarted
                                || event instanceof AuditEvent.ProcessExited
                                || event instanceof AuditEvent.LimitReached);
        return lasting ? Durability.BEFORE_EFFECT : Durability.SOON;
    }

    private Log log() {
        var open = log;
        return open == null ? open() : open;
    }

    private synchronized Log open() {
        var open = log;
        if (open == null) {
            try {
                var key = installation.signing(Installation.origin(session));
                open = Log.open(installation.log(session), key);
                // ORDER: nobody can take it for one that nobody runs, because it is open.
                installation.unfinished().begin(session);
                installation.anchor(session, "");
                log = open;
            } catch (LogException | KeyException | UncheckedIOException e) {
                throw new RecordException("nothing may happen that cannot be recorded", e);
            }
        }
        return open;
    }

    /// Signs what there is, and leaves the attestation where it belongs.
    ///
    /// @throws RecordException if that could not be done
    @Override
    public synchronized void close() {
        var open = log;
        if (open == null) {
            return;
        }
        try (open) {
            var head = open.sign();
            installation.anchor(session, head.note());
            installation.attest(session, collector, head, version);
            installation.unfinished().end(session);
        } catch (LogException | KeyException | UncheckedIOException e) {
            throw new RecordException("the record of this session is not complete", e);
        }
    }

    /// The attestation; empty before the end, or if nothing was ever started.
    public Optional<byte[]> attestation() {
        var file = installation.attestation(session);
        try {
            return Files.exists(file) ? Optional.of(Files.readAllBytes(file)) : Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
