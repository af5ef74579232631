// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.hook;

import dev.writ.trust.Json;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The agents whose hooks we know, and the form in which each takes an answer.
public enum CodingAgent {
    CLAUDE,
    CODEX,
    COPILOT,
    GEMINI;

    /// The one that `word` names, such as `claude`.
    public static Optional<CodingAgent> of(String word) {
        for (var agent : values()) {
            if (agent.word().equals(word)) {
                return Optional.of(agent);
            }
        }
        return Optional.empty();
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// Stops it in every way that it knows at once: the code, a reason on standard error, and its
    /// own JSON. Each of them alone is overlooked by one agent or another.
    public HookAnswer deny(String reason) {
        return new HookAnswer(2, reason, Json.write(said("deny", reason, Optional.empty())));
    }

    /// Has the agent ask the person who sits in front of it.
    HookAnswer ask(String reason) {
        return new HookAnswer(0, "", Json.write(said("ask", reason, Optional.empty())));
    }

    /// Lets it go on with another input than it had in mind.
    HookAnswer replace(Map<String, @Nullable Object> input, String reason) {
        return new HookAnswer(0, "", Json.write(said("allow", reason, Optional.of(input))));
    }

    private Map<String, @Nullable Object> said(
            String decision, String reason, Optional<Map<String, @Nullable Object>> input) {
        var said = new LinkedHashMap<String, @Nullable Object>();
        switch (this) {
            case CLAUDE, CODEX -> {
                var inner = new LinkedHashMap<String, @Nullable Object>();
                inner.put("hookEventName", "PreToolUse");
                inner.put("permissionDecision", decision);
                inner.put("permissionDecisionReason", reason);
                input.ifPresent(i -> inner.put("updatedInput", i));
                said.put("hookSpecificOutput", inner);
            }
            case COPILOT -> {
                said.put("permissionDecision", decision);
                said.put("permissionDecisionReason", reason);
                input.ifPresent(i -> said.put("modifiedArgs", i));
            }
            case GEMINI -> {
                said.put("decision", decision);
                said.put("reason", reason);
                input.ifPresent(
                        i ->
                                said.put(
                                        "hookSpecificOutput",
                                        Map.of("hookEventName", "BeforeTool", "tool_input", i)));
            }
        }
        return said;
    }
}
