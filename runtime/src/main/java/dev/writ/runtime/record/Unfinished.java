// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.record;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.AuditEvent.Ending;
import dev.writ.core.audit.SessionId;
import dev.writ.core.json.JsonException;
import dev.writ.trust.attest.AttestationException;
import dev.writ.trust.attest.Collector;
import dev.writ.trust.event.Event;
import dev.writ.trust.key.KeyException;
import dev.writ.trust.log.Log;
import dev.writ.trust.log.LogException;
import dev.writ.trust.log.LogReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/// Sessions that have begun and whose end is not in the record: they run, or Writ was killed with
/// them. A file for each says so, so that nobody has to look at all sessions there ever were.
final class Unfinished {
    private final Installation installation;

    Unfinished(Installation installation) {
        this.installation = installation;
    }

    private Path folder() {
        return installation.state().resolve("unfinished");
    }

    void begin(SessionId session) {
        try {
            Files.createDirectories(folder());
            Files.createFile(folder().resolve(session.value()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void end(SessionId session) {
        try {
            Files.deleteIfExists(folder().resolve(session.value()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Writes down the end of those that nobody runs any more: signs, anchors and attests them as
    /// incomplete.
    ///
    /// @return what stands in the way of some, a line each
    List<String> finish(Supplier<String> version) {
        var problems = new ArrayList<String>();
        for (var session : all()) {
            try {
                finish(session, version);
            } catch (LogException | KeyException | UncheckedIOException e) {
                if (!(e instanceof LogException held && held.isOpenElsewhere())) {
                    problems.add("session " + session + " has no whole record: " + e.getMessage());
                }
            }
        }
        return problems;
    }

    List<SessionId> all() {
        if (!Files.isDirectory(folder())) {
            return List.of();
        }
        try (var files = Files.list(folder())) {
            return files.map(f -> f.getFileName().toString())
                    .filter(SessionId::isValid)
                    .map(SessionId::new)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void finish(SessionId session, Supplier<String> version) {
        var origin = Installation.origin(session);
        var collector = new Collector(session.value());
        try (var log = Log.open(installation.log(session), installation.signing(origin))) {
            read(session, collector);
            var writer = new EventWriter(log, d -> installation.disclose(session, d));
            collector.add(
                    writer.write(
                            new AuditEvent.Closed(
                                    InstantSource.system().instant(),
                                    session,
                                    0,
                                    Ending.INCOMPLETE,
                                    collector.counts())));
            var head = log.sign();
            installation.anchor(session, head.note());
            installation.attest(session, collector, head, version.get());
        } catch (AttestationException e) {
            // Killed before it began: there is nothing to attest.
        }
        end(session);
    }

    private void read(SessionId session, Collector collector) {
        var reader = new LogReader(installation.log(session), 0);
        for (byte[] entry = reader.next(); entry != null; entry = reader.next()) {
            try {
                collector.add(Event.read(entry));
            } catch (JsonException e) {
                throw new UncheckedIOException(
                        new IOException("entry " + (reader.index() - 1) + ": " + e.getMessage()));
            }
        }
    }
}
