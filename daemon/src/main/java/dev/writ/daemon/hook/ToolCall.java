// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.hook;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.capability.FilePath;
import dev.writ.core.json.JsonException;
import dev.writ.core.json.JsonReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One tool that an agent wants to use, as it says itself.
///
/// @param session what the agent calls its session; empty if it says nothing
/// @param answered whether a question would be put to a person
/// @param server the MCP server that the tool belongs to, and the tool's name there, if it says so
record ToolCall(
        CodingAgent agent,
        String tool,
        Map<String, @Nullable Object> input,
        FilePath folder,
        String session,
        boolean answered,
        Optional<List<String>> server) {
    static final int MOST_BYTES = 8 << 20;

    private static final Set<String> EVENTS = Set.of("PreToolUse", "preToolUse", "BeforeTool");

    /// The modes of Claude in which a question reaches a person. In others it answers by itself.
    private static final Set<String> ASKING = Set.of("default", "acceptEdits", "plan");

    /// @throws EventException if it cannot be understood in one way
    static ToolCall read(CodingAgent agent, byte[] event) {
        var fields = object(parse(event), "the event");
        var name = text(fields, "hook_event_name");
        if (name.filter(n -> !EVENTS.contains(n)).isPresent()) {
            throw new EventException("it is made for the event before a tool is used");
        }
        var tool =
                either(text(fields, "tool_name"), text(fields, "toolName"), "tool_name")
                        .filter(t -> !t.isBlank() && t.length() <= 256)
                        .orElseThrow(() -> new EventException("`tool_name` is missing"));
        var folder = text(fields, "cwd").filter(c -> c.startsWith("/"));
        if (folder.isEmpty() || !Files.isDirectory(Path.of(folder.get()))) {
            throw new EventException("`cwd` is no folder");
        }
        return new ToolCall(
                agent,
                tool,
                input(fields),
                FilePath.of(folder.get()),
                either(text(fields, "session_id"), text(fields, "sessionId"), "session_id")
                        .orElse(""),
                agent == CodingAgent.CLAUDE
                        && text(fields, "permission_mode").filter(ASKING::contains).isPresent(),
                server(fields));
    }

    private static @Nullable Object parse(byte[] json) {
        try {
            return JsonReader.read(json, MOST_BYTES, JsonReader.Numbers.ANY);
        } catch (JsonException e) {
            throw new EventException(String.valueOf(e.getMessage()));
        }
    }

    private static Map<String, @Nullable Object> input(Map<String, @Nullable Object> fields) {
        if (fields.containsKey("tool_input") && fields.containsKey("toolArgs")) {
            throw new EventException("it has two inputs");
        }
        var input =
                fields.containsKey("tool_input")
                        ? fields.get("tool_input")
                        : fields.get("toolArgs");
        if (input == null) {
            return Map.of();
        }
        return object(input instanceof String text ? parse(text.getBytes(UTF_8)) : input, "input");
    }

    private static Optional<List<String>> server(Map<String, @Nullable Object> fields) {
        if (fields.get("mcp_context") == null) {
            return Optional.empty();
        }
        var said = object(fields.get("mcp_context"), "mcp_context");
        return Optional.of(
                List.of(text(said, "server_name").orElse(""), text(said, "tool_name").orElse("")));
    }

    private static Optional<String> either(
            Optional<String> one, Optional<String> other, String name) {
        if (one.isPresent() && other.isPresent()) {
            throw new EventException("it has two of `" + name + "`");
        }
        return one.or(() -> other);
    }

    /// The text `name` of the input.
    Optional<String> text(String name) {
        return text(input, name);
    }

    private static Optional<String> text(Map<String, @Nullable Object> fields, String name) {
        var value = fields.get(name);
        if (value == null) {
            return Optional.empty();
        }
        if (value instanceof String text && text.indexOf('\0') < 0) {
            return Optional.of(text);
        }
        throw new EventException("`" + name + "` is no text");
    }

    private static Map<String, @Nullable Object> object(@Nullable Object value, String what) {
        if (!(value instanceof Map<?, ?> map)) {
            throw new EventException(what + " is no JSON object");
        }
        var fields = new LinkedHashMap<String, @Nullable Object>();
        map.forEach((name, field) -> fields.put(String.valueOf(name), field));
        return fields;
    }
}
