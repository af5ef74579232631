// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp.tool;

import dev.writ.core.broker.Asker;
import dev.writ.core.capability.Text;
import dev.writ.core.file.FileException;
import dev.writ.core.policy.Policy;
import dev.writ.daemon.api.Fields;
import dev.writ.mcp.transport.Ongoing;
import dev.writ.runtime.files.SessionFiles;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.List;
import java.util.Map;

/// Does something with files of the session, without a program.
abstract class FileTool implements Tool {
    private final String name;
    private final String title;
    private final String description;
    private final boolean changes;

    /// @param changes whether files are not what they were afterwards
    FileTool(String name, String title, String description, boolean changes) {
        this.name = name;
        this.title = title;
        this.description = description;
        this.changes = changes;
    }

    /// What it takes: every name that [#run] looks for.
    abstract Map<String, Object> input();

    abstract Map<String, Object> output();

    abstract McpSchema.CallToolResult run(SessionFiles files, Fields fields);

    @Override
    public McpSchema.Tool description() {
        return McpSchema.Tool.builder(name, input())
                .title(title)
                .description(description)
                .outputSchema(output())
                .annotations(Tool.hints(changes, false))
                .build();
    }

    @Override
    public McpSchema.CallToolResult call(ToolCall call) {
        var fields = call.fields(Schema.names(input()));
        try {
            return run(
                    call.sandbox().session().files().waitedForBy(caller(call.ongoing())), fields);
        } catch (FileException e) {
            return Result.failed(line(e, call.sandbox().session().policy()));
        }
    }

    /// Whoever waits for the answer of the tool.
    private static Asker caller(Ongoing ongoing) {
        return new Asker() {
            @Override
            public List<Task> lineage() {
                return List.of();
            }

            @Override
            public boolean isWaiting() {
                return !ongoing.isCancelled();
            }
        };
    }

    private static String line(FileException e, Policy policy) {
        return e.refusal()
                .map(
                        r ->
                                "denied: `"
                                        + Text.shown(r.action().text(policy.scope()))
                                        + "`: "
                                        + r.reason().line())
                .orElseGet(() -> String.valueOf(e.getMessage()));
    }

    static String path(Fields fields) {
        return fields.file("path")
                .orElseThrow(() -> new IllegalArgumentException("`path` is needed"));
    }

    static String needed(Fields fields, String name) {
        return fields.text(name)
                .orElseThrow(() -> new IllegalArgumentException("`" + name + "` is needed"));
    }
}
