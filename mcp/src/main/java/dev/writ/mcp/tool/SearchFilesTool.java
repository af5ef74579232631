// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp.tool;

import dev.writ.daemon.api.Fields;
import dev.writ.runtime.files.Grep;
import dev.writ.runtime.files.SessionFiles;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.Map;

/// Lines in files.
final class SearchFilesTool extends FileTool {
    private static final int MOST = 200;

    SearchFilesTool() {
        super(
                "search_files",
                "Search files",
                "Gives the lines in files that fit a regular expression (RE2), as path:line:text.",
                false);
    }

    @Override
    Map<String, Object> input() {
        return new Schema()
                .text("pattern", "a regular expression")
                .text("path", "the file or folder to search; otherwise the workspace")
                .text("glob", "which files, such as `**/*.java`, seen from there")
                .flag("plain", "whether the pattern is plain text")
                .flag("ignore_case", "whether capital letters are as small ones")
                .requiring("pattern");
    }

    @Override
    Map<String, Object> output() {
        return new Schema()
                .objects("lines", "`path`, `line` and `text` of each")
                .text("cut", "why there may be more; empty if these are all")
                .number("refused", "how many files were left out because they must not be read")
                .requiring("lines", "cut", "refused");
    }

    @Override
    McpSchema.CallToolResult run(SessionFiles files, Fields fields) {
        var query =
                new Grep.Query(
                        needed(fields, "pattern"),
                        !fields.is("plain"),
                        fields.is("ignore_case"),
                        fields.text("glob"),
                        MOST);
        String path = fields.file("path").orElse(".");
        var found = files.grep(query, path);
        var lines =
                found.hits().stream()
                        .map(
                                l ->
                                        (l.path().isEmpty() ? path : l.path())
                                                + ":"
                                                + l.number()
                                                + ":"
                                                + l.text())
                        .toList();
        var fitting =
                found.hits().stream()
                        .map(
                                l ->
                                        Map.of(
                                                "path",
                                                l.path().isEmpty() ? path : l.path(),
                                                "line",
                                                l.number(),
                                                "text",
                                                l.text()))
                        .toList();
        return Result.of(
                ListFilesTool.text(lines, found),
                Map.of("lines", fitting, "cut", found.cut(), "refused", found.refused()));
    }
}
