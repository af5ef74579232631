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
                        + event.session()
                        + "  "
                        + event.kind().map(kind -> known(kind, event)).orElseGet(() -> all(event));
        return Text.shown(line);
    }

    private static String known(EventKind kind, Event event) {
        return switch (kind) {
            case JUDGED ->
                    (event.is("permitted") ? "permitted  " : "refused  ")
                            + event.text("action")
                            + "  "
                            + event.text("reason");
            case ASKED -> "asked  " + event.text("action") + rule(event);
            case ANSWERED ->
                    event.text("answer")
                            + "  "
                            + event.text("action")
                            + "  by "
                            + event.text("by")
                            + ", "
                            + event.text("term")
                            + rule(event);
            case OPENED ->
                    "opened  "
                            + event.text("command")
                            + "  in "
                            + event.text("folder")
                            + ", by "
                            + event.text("backend")
                            + ", policy "
                            + event.text("source");
            case CLOSED ->
                    event.text("outcome")
                            + "  exit "
                            + event.number("exit")
                            + ", "
                            + event.number("refused")
                            + " refused";
            case LIMIT ->
                    "limit  "
                            + event.text("limit")
                            + " ("
                            + event.text("source")
                            + ")  "
                            + (event.is("ended") ? "everything was ended" : "calls failed");
            case EGRESS ->
                    "egress  "
                            + event.text("method")
                            + " "
                            + event.text("scheme")
                            + "://"
                            + event.text("host")
                            + ":"
                            + event.number("port")
                            + event.text("path")
                            + "  "
                            + event.number("status")
                            + ", "
                            + event.number("up")
                            + " bytes up, "
                            + event.number("down")
                            + " down";
            case STARTED, EXITED, WEAKER, TOKEN_USED, TOKEN_REVOKED, WRITTEN -> all(event);
        };
    }

    private static String rule(Event event) {
        return "  by `" + event.text("rule") + "` (" + event.text("source") + ")";
    }

    /// Everything that it says, also if it is not known here what that means.
    private static String all(Event event) {
        return event.word()
                + event.fields().entrySet().stream()
                        .filter(e -> !COMMON.contains(e.getKey()))
                        .map(e -> "  " + e.getKey() + " " + Value.shown(e.getValue()))
                        .collect(Collectors.joining());
    }
}
