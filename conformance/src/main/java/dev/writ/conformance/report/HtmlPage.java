// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.report;

import dev.writ.conformance.corpus.Case;
import dev.writ.conformance.corpus.Group;
import dev.writ.conformance.run.Report;
import dev.writ.conformance.run.Result;
import dev.writ.conformance.stage.Resources;
import dev.writ.trust.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A report to look at: one page that needs nothing else. The page builds itself from data and puts
/// every text in as text, so nothing that a probe printed becomes markup.
public final class HtmlPage {
    private HtmlPage() {}

    public static String of(Report report) {
        // In a script element only `<` could end the data early; JSON has another way to write it.
        String data = Json.write(data(report)).replace("<", "\\u003c");
        return Resources.text("report.html").replace("\"DATA\"", data);
    }

    private static Map<String, Object> data(Report report) {
        var data = new LinkedHashMap<String, Object>();
        data.put("launcher", report.launcher());
        data.put("user", report.user());
        data.put("system", report.system());
        data.put("seconds", report.time().toSeconds());
        data.put("good", report.isGood());
        data.put("controls", report.brokenControls());
        data.put("groups", report.groups().stream().map(g -> group(g, report.of(g))).toList());
        return data;
    }

    private static Map<String, Object> group(Group group, List<Result> results) {
        var data = new LinkedHashMap<String, Object>();
        data.put("letter", group.letter());
        data.put("title", group.title());
        data.put("policy", group.policy());
        data.put("results", results.stream().map(HtmlPage::result).toList());
        return data;
    }

    private static Map<String, Object> result(Result result) {
        Case test = result.test();
        var data = new LinkedHashMap<String, Object>();
        data.put("id", test.id());
        data.put("verdict", result.verdict().spelling());
        data.put("detail", result.detail());
        data.put("millis", result.time().toMillis());
        data.put("what", test.what());
        data.put("why", test.why());
        data.put("expected", test.expected());
        data.put("blocks", test.blocks());
        data.put("reference", test.reference());
        data.put("oracle", test.oracleText());
        data.put("language", test.language().program());
        data.put("script", test.script());
        data.put("output", result.output());
        return data;
    }
}
