// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.report;

import dev.writ.conformance.run.Report;
import dev.writ.conformance.run.Result;
import java.util.List;
import java.util.Locale;

/// A report for build servers. Each group is a suite; the negative controls are one of their own.
public final class JunitXml {
    private final StringBuilder xml = new StringBuilder();

    private JunitXml() {}

    public static String of(Report report) {
        var page = new JunitXml();
        page.write(report);
        return page.xml.toString();
    }

    private void write(Report report) {
        xml.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"writ probe ");
        xml.append(escape(report.launcher())).append("\">\n");
        controls(report.brokenControls());
        for (var group : report.groups()) {
            List<Result> results = report.of(group);
            open(group.letter() + " " + group.title(), results.size());
            results.forEach(this::result);
            xml.append("  </testsuite>\n");
        }
        xml.append("</testsuites>\n");
    }

    private void controls(List<String> broken) {
        open("negative controls", Math.max(1, broken.size()));
        if (broken.isEmpty()) {
            xml.append("    <testcase classname=\"control\" name=\"allowed things work\"/>\n");
        }
        for (String control : broken) {
            xml.append("    <testcase classname=\"control\" name=\"allowed things work\">\n");
            element("failure", control, "");
            xml.append("    </testcase>\n");
        }
        xml.append("  </testsuite>\n");
    }

    private void open(String name, int tests) {
        xml.append("  <testsuite name=\"").append(escape(name)).append("\" tests=\"");
        xml.append(tests).append("\">\n");
    }

    private void result(Result result) {
        String seconds = String.format(Locale.ROOT, "%.3f", result.time().toMillis() / 1000.0);
        xml.append("    <testcase classname=\"").append(escape(result.test().group()));
        xml.append("\" name=\"").append(escape(result.test().id()));
        xml.append("\" time=\"").append(seconds).append("\">\n");
        String detail = result.verdict().spelling() + ": " + result.detail();
        switch (result.verdict()) {
            case ESCAPE ->
                    element("failure", detail, result.test().what() + "\n" + result.output());
            case ERROR -> element("error", detail, result.output());
            case VOID, SKIPPED, PENDING -> element("skipped", detail, "");
            case BLOCKED -> {}
        }
        xml.append("    </testcase>\n");
    }

    private void element(String name, String message, String text) {
        xml.append("      <").append(name).append(" message=\"").append(escape(message));
        xml.append("\">").append(escape(text)).append("</").append(name).append(">\n");
    }

    /// Escapes markup, and replaces what XML has no way to say.
    private static String escape(String text) {
        var escaped = new StringBuilder();
        text.codePoints()
                .forEach(
                        c -> {
                            switch (c) {
                                case '<' -> escaped.append("&lt;");
                                case '>' -> escaped.append("&gt;");
                                case '&' -> escaped.append("&amp;");
                                case '"' -> escaped.append("&quot;");
                                case '\n', '\t' -> escaped.append("&#").append(c).append(';');
                                default -> escaped.appendCodePoint(isText(c) ? c : 0xFFFD);
                            }
                        });
        return escaped.toString();
    }

    private static boolean isText(int c) {
        return (c >= 0x20 && c <= 0xD7FF) || (c >= 0xE000 && c <= 0xFFFD) || c >= 0x10000;
    }
}
