// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp.tool;

import dev.writ.core.capability.Text;
import dev.writ.daemon.api.Fields;
import dev.writ.runtime.files.SessionFiles;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.Map;

/// A part of a file.
final class EditFileTool extends FileTool {
    EditFileTool() {
        super(
                "edit_file",
                "Edit a file",
                "Replaces a text in a file by another one. It must be there once, unless `all` is true.",
                true);
    }

    @Override
    Map<String, Object> input() {
        return new Schema()
                .text("path", "absolute, or seen from the workspace")
                .text("old", "the text to replace, exactly")
                .text("new", "what takes its place")
                .flag("all", "whether it may be there more than once, and is replaced everywhere")
                .requiring("path", "old", "new");
    }

    @Override
    Map<String, Object> output() {
        return new Schema()
                .text("path", "the file")
                .number("replaced", "how often")
                .requiring("path", "replaced");
    }

    @Override
    McpSchema.CallToolResult run(SessionFiles files, Fields fields) {
        String path = path(fields);
        int times =
                files.edit(path, needed(fields, "old"), needed(fields, "new"), fields.is("all"));
        return Result.of(
                "replaced "
                        + times
                        + (times == 1 ? " place" : " places")
                        + " in `"
                        + Text.shown(path)
                        + "`",
                Map.of("path", path, "replaced", times));
    }
}
