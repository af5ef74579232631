// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.report;

import dev.writ.conformance.run.Report;
import dev.writ.conformance.run.Result;
import dev.writ.conformance.run.Verdict;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// A report for a person at a terminal. What was blocked or is pending is only counted; everything
/// that needs a look has a line.
public final class Table {
    private static final int WIDTH = 110;

    private final PrintStream out;
    private final boolean colors;

    public Table(PrintStream out, boolean colors) {
        this.out = out;
        this.colors = colors;
    }

    public void write(Report report) {
        for (var group : report.groups()) {
            List<Result> results = report.of(group);
            out.println(bold(group.letter() + "  " + group.title()) + "  " + counts(results));
            results.stream().filter(r -> needsLook(r.verdict())).forEach(this::line);
        }
        report.brokenControls()
                .forEach(c -> out.println(paint(Verdict.ERROR, "negative control failed: " + c)));
        out.println();
        out.println(summary(report));
    }

    private static boolean needsLook(Verdict verdict) {
        return verdict != Verdict.BLOCKED && verdict != Verdict.PENDING;
    }

    private void line(Result result) {
        String verdict = String.format(Locale.ROOT, "%-8s", result.verdict().spelling());
        String id = String.format(Locale.ROOT, "%-28s", result.test().id());
        String text = result.verdict() == Verdict.ESCAPE ? result.test().what() : result.detail();
        out.println("   " + paint(result.verdict(), verdict) + " " + id + " " + cut(text));
    }

    private static String cut(String text) {
        int room = WIDTH - 41;
        return text.length() <= room ? text : text.substring(0, room - 1) + "…";
    }

    private static String counts(List<Result> results) {
        return results.stream()
                .collect(
                        Collectors.groupingBy(Result::verdict, TreeMap::new, Collectors.counting()))
                .entrySet()
                .stream()
                .map(e -> e.getValue() + " " + e.getKey().spelling())
                .collect(Collectors.joining(", "));
    }

    private String summary(Report report) {
        String counts =
                report.counts().entrySet().stream()
                        .filter(e -> e.getValue() > 0)
                        .map(e -> paint(e.getKey(), e.getValue() + " " + e.getKey().spelling()))
                        .collect(Collectors.joining(", "));
        return "launcher "
                + report.launcher()
                + ", as "
                + report.user()
                + ", "
                + report.time().toSeconds()
                + " s: "
                + counts;
    }

    private String bold(String text) {
        return colors ? "\u001b[1m" + text + "\u001b[0m" : text;
    }

    private String paint(Verdict verdict, String text) {
        if (!colors) {
            return text;
        }
        int color =
                switch (verdict) {
                    case ESCAPE, ERROR -> 31;
                    case BLOCKED -> 32;
                    case VOID -> 33;
                    case SKIPPED, PENDING -> 90;
                };
        return "\u001b[" + color + "m" + text + "\u001b[0m";
    }
}
