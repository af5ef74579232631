// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.report;

import dev.writ.conformance.run.Report;
import dev.writ.conformance.run.Result;
import dev.writ.conformance.run.Verdict;
import dev.writ.trust.Json;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Map;

/// A report for programs: one line per case in the order of the corpus, then one with the counts.
public final class JsonLines {
    private JsonLines() {}

    public static void write(Report report, PrintStream out) {
        report.results().forEach(r -> out.println(Json.write(line(r))));
        out.println(Json.write(last(report)));
    }

    private static Map<String, Object> line(Result result) {
        var line = new LinkedHashMap<String, Object>();
        line.put("id", result.test().id());
        line.put("group", result.test().group());
        line.put("verdict", result.verdict().spelling());
        line.put("what", result.test().what());
        line.put("detail", result.detail());
        line.put("millis", result.time().toMillis());
        if (result.verdict() == Verdict.ESCAPE) {
            line.put("output", result.output());
        }
        return line;
    }

    private static Map<String, Object> last(Report report) {
        var counts = new LinkedHashMap<String, Object>();
        report.counts().forEach((verdict, n) -> counts.put(verdict.spelling(), n));
        var last = new LinkedHashMap<String, Object>();
        last.put("launcher", report.launcher());
        last.put("user", report.user());
        last.put("counts", counts);
        last.put("controls", report.brokenControls());
        last.put("good", report.isGood());
        last.put("millis", report.time().toMillis());
        return last;
    }
}
