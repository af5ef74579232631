// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.audit.SessionId;
import dev.writ.core.capability.Text;
import dev.writ.core.json.JsonException;
import dev.writ.runtime.record.Installation;
import dev.writ.trust.event.Event;
import dev.writ.trust.event.EventKind;
import dev.writ.trust.log.LogException;
import dev.writ.trust.log.LogReader;
import org.jspecify.annotations.Nullable;

/// Reads the events of a session one after the other, also while it is written. What cannot be read
/// is said, and passed over.
final class SessionEvents {
    /// An event, and which entry of its log it is.
    record Numbered(SessionId session, long index, Event event) {}

    private final SessionId session;
    private final LogReader reader;
    private final World world;
    private boolean damaged;
    private boolean closed;

    SessionEvents(SessionId session, Installation installation, World world) {
        this.session = session;
        this.reader = new LogReader(installation.log(session), 0);
        this.world = world;
    }

    /// The next one, or null if there is none yet.
    @Nullable Numbered next() {
        while (true) {
            long index = reader.index();
            byte[] entry;
            try {
                entry = reader.next();
            } catch (LogException e) {
                say(String.valueOf(e.getMessage()));
                closed = true;
                return null;
            }
            if (entry == null) {
                return null;
            }
            try {
                var event = Event.read(entry);
                closed |= event.kind().filter(k -> k == EventKind.CLOSED).isPresent();
                return new Numbered(session, index, event);
            } catch (JsonException e) {
                say("entry " + index + " is " + e.getMessage());
            }
        }
    }

    private void say(String what) {
        damaged = true;
        world.err()
                .println(
                        "writ: session "
                                + session
                                + ": "
                                + Text.shown(what)
                                + "; `writ log verify` says more");
    }

    /// Whether something could not be read.
    boolean damaged() {
        return damaged;
    }

    /// Whether nothing more will come.
    boolean closed() {
        return closed;
    }
}
