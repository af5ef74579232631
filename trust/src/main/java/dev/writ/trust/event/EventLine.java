// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.event;

import dev.writ.core.capability.Text;
import java.util.Set;
import java.util.stream.Collectors;

/// An event as a line for people: when, in which session, what came of it, of what, by which rule,
/// why. Nothing in it can draw on a terminal.
public final class EventLine {
    private static final Set<String> COMMON = Set.of("v", "at", "session", "event");

    private EventLine() {}

    public static String of(Event event) {
        String line =
                event.at()
                        + "  "
                        + closed(event.session())
                        + "  "
                        + event.kind().map(kind -> known(kind, event)).orElseGet(() -> all(event));
        return Text.shown(line);
    }

    private static String known(EventKind kind, Event event) {
        return switch (kind) {
            case JUDGED ->
                    (event.is("permitted") ? "permitted  " : "refused  ")
                            + text(event, "action")
                            + "  "
                            + text(event, "reason");
            case ASKED -> "asked  " + text(event, "action") + rule(event);
            case ANSWERED ->
                    text(event, "answer")
                            + "  "
                            + text(event, "action")
                            + "  by "
                            + text(event, "by")
                            + ", "
                            + text(event, "term")
                            + rule(event);
            case OPENED ->
                    "opened  "
                            + text(event, "command")
                            + "  in "
                            + text(event, "folder")
                            + ", by "
                            + text(event, "backend")
                            + ", policy "
                            + text(event, "source");
            case CLOSED ->
                    text(event, "outcome")
                            + "  "
                            + (event.get("exit") == null
                                    ? ""
                                    : "exit " + event.number("exit") + ", ")
                            + event.number("refused")
                            + " refused";
            case LIMIT ->
                    "limit  "
                            + text(event, "limit")
                            + " ("
                            + text(event, "source")
                            + ")  "
                            + (event.is("ended") ? "everything was ended" : "calls failed");
            case EGRESS ->
                    "egress  "
                            + text(event, "method")
                            + " "
                            + text(event, "scheme")
                            + "://"
                            + text(event, "host")
                            + ":"
                            + event.number("port")
                            + text(event, "path")
                            + "  "
                            + event.number("status")
                            + ", "
                            + event.number("up")
                            + " bytes up, "
                            + event.number("down")
                            + " down";
            case ANCHORED -> anchored(event);
            case STARTED, EXITED, WEAKER, TOKEN_USED, TOKEN_REVOKED, WRITTEN -> all(event);
        };
    }

    /// Of the note only how many entries of which log it is about: the rest is for machines.
    private static String anchored(Event event) {
        String[] lines = event.text("checkpoint").split("\n", -1);
        if (event.text("checkpoint").isEmpty()) {
            return "anchored  that there is this session";
        }
        return lines.length < 3
                ? all(event)
                : "anchored  " + closed(lines[1]) + " entries of " + closed(lines[0]);
    }

    private static String text(Event event, String field) {
        return closed(event.text(field));
    }

    /// Columns are two spaces apart, so nothing that an agent names may look like another column.
    private static String closed(String text) {
        return text.replace("  ", " \\u{20}");
    }

    private static String rule(Event event) {
        return "  by `" + text(event, "rule") + "` (" + text(event, "source") + ")";
    }

    /// Everything that it says, also if it is not known here what that means.
    private static String all(Event event) {
        return closed(event.word())
                + event.fields().entrySet().stream()
                        .filter(e -> !COMMON.contains(e.getKey()))
                        .map(e -> "  " + closed(e.getKey()) + " " + text(event, e.getKey()))
                        .collect(Collectors.joining());
    }
}
