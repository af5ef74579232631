// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp.tool;

import io.modelcontextprotocol.spec.McpSchema;
import java.util.List;

/// Something that an agent can have done.
public interface Tool {
    /// All that there are.
    static List<Tool> all() {
        return List.of(
                new ShellTool(),
                new ReadFileTool(),
                new WriteFileTool(),
                new EditFileTool(),
                new ListFilesTool(),
                new SearchFilesTool(),
                new FetchTool());
    }

    McpSchema.Tool description();

    /// What a client may want to know of a tool before it asks somebody.
    ///
    /// @param changes whether something is not what it was afterwards
    /// @param outside whether more than files has to do with it
    static McpSchema.ToolAnnotations hints(boolean changes, boolean outside) {
        return McpSchema.ToolAnnotations.builder()
                .readOnlyHint(!changes)
                .destructiveHint(changes)
                .idempotentHint(!changes)
                .openWorldHint(outside)
                .build();
    }

    /// Does it. On a platform thread, which it may hold up.
    ///
    /// @throws RuntimeException with a message for the agent, if it cannot be done
    McpSchema.CallToolResult call(ToolCall call) throws InterruptedException;
}
