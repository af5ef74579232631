// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.record;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.audit.SessionId;
import dev.writ.core.json.JsonException;
import dev.writ.runtime.record.Finding.State;
import dev.writ.trust.event.Event;
import dev.writ.trust.event.EventKind;
import dev.writ.trust.key.KeyException;
import dev.writ.trust.log.Checkpoint;
import dev.writ.trust.log.Consistency;
import dev.writ.trust.log.LogException;
import dev.writ.trust.log.LogReader;
import java.nio.file.Files;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/// What the log of an installation says about its sessions.
final class Anchors {
    /// Where a session's head was anchored.
    ///
    /// @param size how many of its entries, at the last anchor
    /// @param broken whether something was wrong with one of its anchors
    record Anchor(long size, boolean broken) {}

    private final Installation installation;
    private final TrustedKeys trusted;
    private final Consumer<Finding> found;
    private final Map<String, Anchor> anchors = new TreeMap<>();

    Anchors(Installation installation, TrustedKeys trusted, Consumer<Finding> found) {
        this.installation = installation;
        this.trusted = trusted;
        this.found = found;
    }

    /// What each session had when it was last anchored, each anchor compared with its log.
    Map<String, Anchor> read() {
        var reader = new LogReader(installation.log(), 0);
        try {
            for (byte[] entry = reader.next(); entry != null; entry = reader.next()) {
                add(entry, reader.index() - 1);
            }
        } catch (LogException e) {
            found.accept(
                    new Finding(
                            RecordVerifier.INSTALLATION,
                            State.WRONG,
                            String.valueOf(e.getMessage()),
                            e.entry()));
        }
        return anchors;
    }

    private void add(byte[] entry, long index) {
        Event event;
        try {
            event = Event.read(entry);
            if (event.kind().filter(k -> k == EventKind.ANCHORED).isEmpty()) {
                return; // of a newer Writ
            }
            if (!SessionId.isValid(event.session())) {
                throw new JsonException("it names no session");
            }
        } catch (JsonException e) {
            String why = "entry " + index + " is no anchor: " + e.getMessage();
            found.accept(new Finding(RecordVerifier.INSTALLATION, State.WRONG, why, index));
            return;
        }
        var before = anchors.getOrDefault(event.session(), new Anchor(0, false));
        String note = event.text("checkpoint");
        var session = new SessionId(event.session());
        if (note.isEmpty() || before.broken() || !Files.isDirectory(installation.log(session))) {
            long size = note.isEmpty() ? before.size() : Math.max(before.size(), size(note));
            anchors.put(event.session(), new Anchor(size, before.broken()));
            return;
        }
        try {
            var keys = trusted.log(Installation.origin(session));
            var anchored = Checkpoint.open(note.getBytes(UTF_8), keys);
            Consistency.check(installation.log(session), anchored, keys);
            anchors.put(event.session(), new Anchor(anchored.size(), false));
        } catch (LogException | KeyException e) {
            anchors.put(event.session(), new Anchor(before.size(), true));
            String why = "is not what entry " + index + " of the installation log anchored: ";
            found.accept(
                    new Finding(
                            RecordVerifier.name(session),
                            State.WRONG,
                            why + e.getMessage(),
                            RecordVerifier.entry(e)));
        }
    }

    private static long size(String note) {
        String[] lines = note.split("\n", -1);
        return lines.length > 1 && lines[1].matches("[0-9]{1,18}") ? Long.parseLong(lines[1]) : 0;
    }
}
