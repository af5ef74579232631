// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.record;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.capability.Action;
import dev.writ.trust.event.Credentials;
import dev.writ.trust.event.Disclosure;
import dev.writ.trust.event.Entry;
import dev.writ.trust.event.Event;
import dev.writ.trust.log.Durability;
import dev.writ.trust.log.Log;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// How events go into a log: which of them have to be on the disk before they take effect, and what
/// must not be readable in them.
public final class EventWriter {
    private final Log log;
    private final Consumer<List<Disclosure>> disclosures;
    private final Credentials credentials = new Credentials();
    private final SecureRandom salts = new SecureRandom();

    /// @param disclosures keeps what entries only commit to
    public EventWriter(Log log, Consumer<List<Disclosure>> disclosures) {
        this.log = log;
        this.disclosures = disclosures;
    }

    /// Writes `event`, and gives it back as it was written.
    public Event write(AuditEvent event) {
        return write(List.of(event)).getFirst();
    }

    /// Writes `events`, with one wait for the disk if one of them needs it.
    public List<Event> write(List<AuditEvent> events) {
        var written = new ArrayList<Event>(events.size());
        var entries = new ArrayList<byte[]>(events.size());
        var durability = Durability.SOON;
        for (var event : events) {
            var entry = entry(event);
            // ORDER: what an entry commits to is there before the entry is.
            if (!entry.disclosures().isEmpty()) {
                disclosures.accept(entry.disclosures());
            }
            written.add(entry.event());
            entries.add(entry.bytes());
            durability = isLasting(event) ? Durability.BEFORE_EFFECT : durability;
        }
        log.append(entries, durability);
        return written;
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
    private static boolean isLasting(AuditEvent event) {
        return event instanceof AuditEvent.Judged judged
                ? judged.permitted() && !(judged.action() instanceof Action.ReadFile)
                : !(event instanceof AuditEvent.ProcessStarted
                        || event instanceof AuditEvent.ProcessExited
                        || event instanceof AuditEvent.LimitReached
                        || event instanceof AuditEvent.Egress
                        || event instanceof AuditEvent.FileWritten);
    }
}
