// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.cli.SessionEvents.Numbered;
import dev.writ.core.audit.SessionId;
import dev.writ.runtime.record.Installation;
import dev.writ.trust.event.Event;
import dev.writ.trust.event.EventLine;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/// Prints events of sessions, oldest first. It holds one event at a time, or as many as are asked
/// for from the end.
final class LogListing {
    private static final int CHUNK = 1 << 15;
    private static final int MOST_FOLLOWED = 16;
    private static final long PAUSE_MILLIS = 200;

    private final Installation installation;
    private final Predicate<Event> wanted;
    private final Function<Numbered, String> line;
    private final World world;
    private final StringBuilder pending = new StringBuilder();
    private boolean damaged;

    /// The pipe is closed: nobody reads any more, which is no error.
    private boolean over;

    LogListing(
            Installation installation,
            Predicate<Event> wanted,
            Function<Numbered, String> line,
            World world) {
        this.installation = installation;
        this.wanted = wanted;
        this.line = line;
        this.world = world;
    }

    /// An event as a line for people: when, which entry, what came of it, of what, why.
    static Function<Numbered, String> forPeople(Paint paint) {
        return numbered -> {
            // Two spaces are between columns, and in none of them.
            String[] columns = EventLine.of(numbered.event()).split("  ", 4);
            String entry = numbered.session() + ":" + numbered.index();
            return paint.dim(columns[0] + "  " + entry)
                    + "  "
                    + paint.outcome(columns[2])
                    + (columns.length < 4 ? "" : "  " + columns[3]);
        };
    }

    int print(List<SessionId> sessions) {
        for (int i = 0; i < sessions.size() && !over; i++) {
            var events = events(sessions.get(i));
            for (var next = events.next(); next != null && !over; next = events.next()) {
                add(next);
            }
            damaged |= events.damaged();
        }
        return end();
    }

    /// The last `count` that are wanted. Later sessions are read first, and no more of them than it
    /// takes.
    int printLast(List<SessionId> sessions, int count) {
        Deque<Numbered> last = new ArrayDeque<>();
        for (int i = sessions.size() - 1; i >= 0 && last.size() < count; i--) {
            Deque<Numbered> found = new ArrayDeque<>();
            var events = events(sessions.get(i));
            for (var next = events.next(); next != null; next = events.next()) {
                if (wanted.test(next.event())) {
                    found.add(next);
                    if (found.size() > count - last.size()) {
                        found.remove();
                    }
                }
            }
            damaged |= events.damaged();
            found.descendingIterator().forEachRemaining(last::addFirst);
        }
        last.forEach(this::add);
        return end();
    }

    /// Prints what comes, also of sessions that begin later, until nobody reads it.
    ///
    /// @param last how many that are there already are printed first; all if it is negative
    int follow(Predicate<SessionId> which, int last) throws InterruptedException {
        Set<SessionId> known = new HashSet<>();
        List<SessionEvents> open = new ArrayList<>();
        Deque<Numbered> before = new ArrayDeque<>();
        for (boolean first = true; !over; first = false) {
            for (var session : installation.sessions()) {
                if (which.test(session) && known.add(session)) {
                    open.add(events(session));
                }
            }
            for (var events : open) {
                for (var next = events.next(); next != null && !over; next = events.next()) {
                    if (!first || last < 0) {
                        add(next);
                    } else if (wanted.test(next.event())) {
                        before.add(next);
                        if (before.size() > last) {
                            before.remove();
                        }
                    }
                }
            }
            before.forEach(this::add);
            before.clear();
            flush();
            open.removeIf(SessionEvents::closed);
            // Runs that were killed never close; the latest are the ones that may go on.
            open.subList(0, Math.max(0, open.size() - MOST_FOLLOWED)).clear();
            if (!over) {
                Thread.sleep(PAUSE_MILLIS);
            }
        }
        return ExitCode.OK;
    }

    private SessionEvents events(SessionId session) {
        return new SessionEvents(session, installation, world);
    }

    private void add(Numbered numbered) {
        if (wanted.test(numbered.event())) {
            pending.append(line.apply(numbered)).append('\n');
            if (pending.length() >= CHUNK) {
                flush();
            }
        }
    }

    private void flush() {
        world.out().print(pending);
        pending.setLength(0);
        over = world.out().checkError();
    }

    private int end() {
        flush();
        return damaged && !over ? ExitCode.DIFFERENT : ExitCode.OK;
    }
}
