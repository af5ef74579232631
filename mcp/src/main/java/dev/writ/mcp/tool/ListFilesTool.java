// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp.tool;

import dev.writ.core.capability.Text;
import dev.writ.core.file.FileStatus;
import dev.writ.core.file.OpenFolder;
import dev.writ.daemon.api.Fields;
import dev.writ.runtime.files.Found;
import dev.writ.runtime.files.SessionFiles;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.List;
import java.util.Map;

/// Names in a folder, or below it.
final class ListFilesTool extends FileTool {
    private static final int MOST = 1000;

    ListFilesTool() {
        super(
                "list_files",
                "List files",
                "Gives the names in a folder, with a slash after folders; with `glob` the paths below it that look like that.",
                false);
    }

    @Override
    Map<String, Object> input() {
        return new Schema()
                .text("path", "the folder; otherwise the workspace")
                .text("glob", "such as `**/*.java`, seen from the folder")
                .requiring();
    }

    @Override
    Map<String, Object> output() {
        return new Schema()
                .texts("names", "names, or paths seen from the folder")
                .text("cut", "why there may be more; empty if these are all")
                .number("refused", "how many were left out because they must not be read")
                .requiring("names", "cut", "refused");
    }

    @Override
    McpSchema.CallToolResult run(SessionFiles files, Fields fields) {
        String path = fields.file("path").orElse(".");
        var found =
                fields.text("glob")
                        .map(glob -> files.glob(glob, path, MOST))
                        .orElseGet(() -> list(files, path));
        return Result.of(
                text(found.hits(), found),
                Map.of("names", found.hits(), "cut", found.cut(), "refused", found.refused()));
    }

    private static Found<String> list(SessionFiles files, String path) {
        var names = files.list(path).stream().map(ListFilesTool::name).toList();
        return names.size() <= MOST
                ? new Found<>(names, "", 0)
                : new Found<>(names.subList(0, MOST), "there are " + names.size(), 0);
    }

    private static String name(OpenFolder.Entry entry) {
        return entry.name() + (entry.type() == FileStatus.Type.FOLDER ? "/" : "");
    }

    /// Lines, and what is missing.
    static String text(List<String> lines, Found<?> found) {
        var text = new StringBuilder();
        lines.forEach(l -> text.append(Text.shown(l)).append('\n'));
        if (!found.cut().isEmpty()) {
            text.append("[writ: not all: ").append(found.cut()).append("]\n");
        }
        if (found.refused() > 0) {
            text.append("[writ: ")
                    .append(found.refused())
                    .append(" left out because the policy does not let them be read]\n");
        }
        return text.isEmpty() ? "(nothing)" : text.toString();
    }
}
