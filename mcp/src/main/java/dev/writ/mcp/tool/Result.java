// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp.tool;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.Text;
import dev.writ.core.policy.Explanation;
import dev.writ.core.policy.Policy;
import dev.writ.runtime.Refusals.Refusal;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a tool answers: text for a model, and the same for programs.
public final class Result {
    private Result() {}

    static McpSchema.CallToolResult of(String text, Map<String, @Nullable Object> fields) {
        return of(text, fields, false);
    }

    static McpSchema.CallToolResult of(
            String text, Map<String, @Nullable Object> fields, boolean failed) {
        return McpSchema.CallToolResult.builder()
                .addTextContent(text)
                .structuredContent(fields)
                .isError(failed)
                .build();
    }

    /// It was not done. An error of the tool, not of the protocol: a model is to read it.
    public static McpSchema.CallToolResult failed(String why) {
        return McpSchema.CallToolResult.builder()
                .addTextContent("writ: " + why)
                .isError(true)
                .build();
    }

    /// It was not permitted: what, why, and the narrowest change that would help.
    static String denied(Policy policy, Refusal refusal) {
        String hint = Explanation.of(policy, refusal.action()).suggestion();
        return "denied: `"
                + Text.shown(name(policy, refusal.action()))
                + "`: "
                + refusal.reason()
                + (hint.isEmpty() ? "" : "; to change that: " + hint);
    }

    /// The same for programs.
    static Map<String, @Nullable Object> fields(Policy policy, Refusal refusal) {
        var why = Explanation.of(policy, refusal.action());
        var fields = new LinkedHashMap<String, @Nullable Object>();
        fields.put("action", why.action());
        fields.put("rule", why.rule());
        fields.put("source", why.source());
        fields.put("reason", refusal.reason());
        fields.put("remedy", why.suggestion());
        fields.put("times", refusal.times());
        return fields;
    }

    static List<Map<String, @Nullable Object>> fields(Policy policy, List<Refusal> refusals) {
        return refusals.stream().map(r -> fields(policy, r)).toList();
    }

    private static String name(Policy policy, Action action) {
        return action.text(policy.scope());
    }
}
