// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.record;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.AuditLog;
import dev.writ.core.audit.SessionId;
import dev.writ.core.capability.Action;
import dev.writ.trust.attest.Collector;
import dev.writ.trust.key.KeyException;
import dev.writ.trust.log.Log;
import dev.writ.trust.log.LogException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.DateTimeException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The record of one session, while it runs: each of its events goes into its log, and what permits
/// something is on the disk before it happens. At the end the log is signed, its head anchored in
/// the log of the installation, and the session attested.
///
/// Nothing is written before the first event.
public final class SessionRecord implements AuditLog, AutoCloseable {
    private final Installation installation;
    private final SessionId session;
    private final Supplier<String> version;
    private final Collector collector;
    private final WrittenFiles written = new WrittenFiles();
    private volatile @Nullable Open open; // made once, guarded by this

    private record Open(Log log, EventWriter writer, Backlog backlog) {}

    /// @param version of Writ, for the attestation
    public SessionRecord(Installation installation, SessionId session, Supplier<String> version) {
        this.installation = installation;
        this.session = session;
        this.version = version;
        this.collector = new Collector(session.value());
    }

    /// @throws RecordException if it cannot be kept
    @Override
    public void append(AuditEvent event) {
        append(List.of(event));
    }

    @Override
    public void append(List<AuditEvent> events) {
        if (events.size() == 1 && isRead(events.getFirst())) {
            open().backlog().add(events.getFirst());
            return;
        }
        for (var event : events) {
            if (event instanceof AuditEvent.Closed closed) {
                written.look(closed.at(), session, found -> write(List.of(found)));
            } else if (event instanceof AuditEvent.Judged judged && judged.permitted()) {
                written.note(judged.action());
            }
        }
        write(events);
    }

    /// The only thing that is judged by the thousand, and that leaves no trace.
    private static boolean isRead(AuditEvent event) {
        return event instanceof AuditEvent.Judged judged
                && judged.permitted()
                && judged.action() instanceof Action.ReadFile;
    }

    private void write(List<AuditEvent> events) {
        var ready = open();
        // ORDER: what was read before stands before.
        ready.backlog().write();
        try {
            ready.writer().write(events).forEach(collector::add);
        } catch (LogException | UncheckedIOException | DateTimeException e) {
            throw new RecordException("the record cannot be written", e);
        }
    }

    private Open open() {
        var ready = open;
        return ready == null ? begin() : ready;
    }

    private synchronized Open begin() {
        var ready = open;
        if (ready == null) {
            try {
                ready = begun();
                open = ready;
            } catch (LogException | KeyException | UncheckedIOException | DateTimeException e) {
                throw new RecordException("nothing may happen that cannot be recorded", e);
            }
        }
        return ready;
    }

    private Open begun() {
        var key = installation.signing(Installation.origin(session));
        var log = Log.open(installation.log(session), key);
        try {
            // ORDER: nobody can take it for one that nobody runs, because it is open.
            installation.unfinished().begin(session);
            installation.anchor(session, "");
            var writer = new EventWriter(log, d -> installation.disclose(session, d));
            return new Open(
                    log,
                    writer,
                    new Backlog(events -> writer.write(events).forEach(collector::add)));
        } catch (RuntimeException | Error e) {
            log.close();
            throw e;
        }
    }

    /// Signs what there is, and leaves the attestation where it belongs.
    ///
    /// @throws RecordException if that could not be done
    @Override
    public synchronized void close() {
        var ready = open;
        if (ready == null) {
            return;
        }
        try (var log = ready.log()) {
            ready.backlog().close();
            var head = log.sign();
            installation.anchor(session, head.note());
            installation.attest(session, collector, head, version.get());
            installation.unfinished().end(session);
        } catch (LogException | KeyException | UncheckedIOException | DateTimeException e) {
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
