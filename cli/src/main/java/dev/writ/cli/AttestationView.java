// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.capability.Text;
import dev.writ.trust.event.Value;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An attestation for people: what ran and how it ended, then what it does **not** say, then the
/// rest.
final class AttestationView {
    private static final int MOST_LISTED = 20;

    private final Map<?, ?> predicate;
    private final Paint paint;
    private final StringBuilder out = new StringBuilder();

    private AttestationView(Map<?, ?> predicate, Paint paint) {
        this.predicate = predicate;
        this.paint = paint;
    }

    static String of(Map<?, ?> predicate, Paint paint) {
        return new AttestationView(predicate, paint).text();
    }

    private String text() {
        line("session", text("run", "id"));
        line("command", text("command"));
        line("folder", text("folder"));
        String code = text("run", "exitCode");
        out.append(paint.bold(String.format("%-10s", "outcome")))
                .append(paint.outcome(text("run", "outcome")).stripTrailing())
                .append(code.isEmpty() ? "" : ", exit " + code)
                .append('\n');
        line("time", text("run", "startedOn") + " to " + text("run", "finishedOn"));
        line("policy", text("policy", "source") + ", sha256 " + text("policy", "digest", "sha256"));
        gaps();
        line(
                "isolation",
                text("isolation", "backend") + ", asked for " + text("isolation", "requested"));
        for (var guarantee : list(get("isolation", "guarantees"))) {
            String why = field(guarantee, "why");
            entry(
                    field(guarantee, "name")
                            + " by "
                            + field(guarantee, "by")
                            + (why.isEmpty() ? "" : ": " + why));
        }
        line(
                "counts",
                text("counts", "permitted")
                        + " permitted, "
                        + text("counts", "refused")
                        + " refused, "
                        + text("counts", "asked")
                        + " asked, "
                        + text("counts", "processes")
                        + " processes");
        listing(
                "refused",
                "refused",
                item -> field(item, "action") + times(item) + "  " + field(item, "reason"));
        listing(
                "answers",
                "answers",
                item ->
                        field(item, "answer")
                                + " "
                                + field(item, "action")
                                + times(item)
                                + "  by "
                                + field(item, "by")
                                + ", "
                                + field(item, "term"));
        listing(
                "files",
                "filesWritten",
                item -> field(item, "sha256") + "  " + field(item, "path"));
        listing(
                "egress",
                "egress",
                item ->
                        field(item, "destination")
                                + "  "
                                + field(item, "requests")
                                + " requests, "
                                + field(item, "up")
                                + " bytes up, "
                                + field(item, "down")
                                + " down");
        for (var limit : list(get("limitsReached"))) {
            line("limit", field(limit, "limit") + " (" + field(limit, "source") + ")");
        }
        if (get("log") != null) {
            line(
                    "log",
                    "entries "
                            + text("log", "first")
                            + " to "
                            + text("log", "last")
                            + " of "
                            + text("log", "origin"));
        }
        return out.toString();
    }

    private void gaps() {
        var gaps = list(get("gaps"));
        line("gaps", gaps.isEmpty() ? "none" : "what this does not say:");
        for (var gap : gaps) {
            out.append("  ")
                    .append(paint.warning(Text.shown(field(gap, "what"))))
                    .append(": ")
                    .append(Text.shown(field(gap, "why")))
                    .append('\n');
        }
    }

    private interface Line {
        String of(@Nullable Object item);
    }

    private void listing(String title, String name, Line line) {
        var all = list(get(name, "listed"));
        if (all.isEmpty()) {
            return;
        }
        line(title, "");
        all.stream().limit(MOST_LISTED).forEach(item -> entry(line.of(item)));
        long more = Math.max(0, all.size() - MOST_LISTED);
        if (more > 0) {
            entry("and " + more + " more; `--json` has them all");
        }
    }

    private void line(String title, String text) {
        out.append(paint.bold(String.format("%-10s", title))).append(Text.shown(text)).append('\n');
    }

    private void entry(String text) {
        out.append("  ").append(Text.shown(text)).append('\n');
    }

    private @Nullable Object get(String... names) {
        @Nullable Object value = predicate;
        for (var name : names) {
            value = value instanceof Map<?, ?> map ? map.get(name) : null;
        }
        return value;
    }

    private String text(String... names) {
        return Value.shown(get(names));
    }

    private static String field(@Nullable Object item, String name) {
        return item instanceof Map<?, ?> map ? Value.shown(map.get(name)) : "";
    }

    private static String times(@Nullable Object item) {
        String times = field(item, "times");
        return times.equals("1") ? "" : ", " + times + " times";
    }

    private static List<?> list(@Nullable Object value) {
        return value instanceof List<?> list ? list : List.of();
    }
}
