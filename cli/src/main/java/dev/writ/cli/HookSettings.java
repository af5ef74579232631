// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.json.JsonException;
import dev.writ.daemon.hook.CodingAgent;
import dev.writ.trust.Json;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Where an agent is told to ask Writ before it uses a tool, and how that is written there.
///
/// @param event what the agent calls the moment before a tool is used
/// @param entry what is to be in the list of that event
record HookSettings(CodingAgent agent, Path file, String event, String entry) {
    private static final String HOOKS = "hooks";

    static HookSettings of(CodingAgent agent, World world) {
        var home = Path.of(world.config().home().toString());
        String command = quoted(world.launcher().getFirst()) + " hook " + agent.word();
        var handler = new LinkedHashMap<String, @Nullable Object>();
        handler.put("type", "command");
        handler.put(agent == CodingAgent.COPILOT ? "bash" : "command", command);
        return switch (agent) {
            case CLAUDE -> {
                handler.put("timeout", 10L);
                handler.put("onFailure", "block");
                yield new HookSettings(
                        agent,
                        folder("CLAUDE_CONFIG_DIR", home.resolve(".claude"), world)
                                .resolve("settings.json"),
                        "PreToolUse",
                        matching("*", handler));
            }
            case CODEX -> {
                handler.put("timeout", 10L);
                yield new HookSettings(
                        agent,
                        folder("CODEX_HOME", home.resolve(".codex"), world).resolve("hooks.json"),
                        "PreToolUse",
                        matching("*", handler));
            }
            case COPILOT -> {
                handler.put("timeoutSec", 10L);
                yield new HookSettings(
                        agent,
                        folder("COPILOT_HOME", home.resolve(".copilot"), world)
                                .resolve("hooks/writ.json"),
                        "preToolUse",
                        Json.write(handler));
            }
            case GEMINI -> {
                handler.put("name", "writ");
                handler.put("timeout", 10_000L);
                yield new HookSettings(
                        agent,
                        home.resolve(".gemini/settings.json"),
                        "BeforeTool",
                        matching("*", handler));
            }
        };
    }

    private static Path folder(String variable, Path otherwise, World world) {
        String said = world.variables().getOrDefault(variable, "");
        return said.startsWith("/") ? Path.of(said) : otherwise;
    }

    private static String matching(String matcher, Map<String, @Nullable Object> handler) {
        var entry = new LinkedHashMap<String, @Nullable Object>();
        entry.put("matcher", matcher);
        entry.put(HOOKS, List.of(handler));
        return Json.write(entry);
    }

    /// A path as one word of a shell.
    static String quoted(String path) {
        return path.matches("[\\w/.+-]+") ? path : "'" + path.replace("'", "'\\''") + "'";
    }

    /// The file with the hook in it. As it is if it has one already.
    ///
    /// @param before empty if there is no file
    String installed(Optional<String> before) {
        String text =
                before.filter(b -> !b.isBlank())
                        .orElse(agent == CodingAgent.COPILOT ? "{\"version\": 1}\n" : "{}\n");
        var clean = before.isPresent() ? removed(text) : text;
        if (!clean.equals(text) && text.contains(entry)) {
            return text;
        }
        var json = parse(clean);
        var hooks = json.member(json.root(), HOOKS);
        if (hooks.isEmpty()) {
            String member = "\"hooks\": {\"" + event + "\": [" + entry + "]}";
            return json.with(json.root(), member).text();
        }
        var list = hooks.flatMap(h -> json.member(h, event));
        return list.isEmpty()
                ? json.with(hooks.get(), "\"" + event + "\": [" + entry + "]").text()
                : json.with(list.get(), entry).text();
    }

    /// The file without any hook of ours, and without what is empty then.
    String removed(String text) {
        var json = parse(text);
        var hooks = json.member(json.root(), HOOKS);
        var list = hooks.flatMap(h -> json.member(h, event));
        if (hooks.isEmpty() || list.isEmpty()) {
            return text;
        }
        var elements = json.elements(list.get());
        var own = elements.stream().filter(e -> isOwn(json.value(e))).findFirst();
        if (own.isEmpty()) {
            return text;
        }
        if (elements.size() > 1) {
            return removed(json.without(list.get(), own.get()).text());
        }
        return json.value(hooks.get()) instanceof Map<?, ?> map && map.size() > 1
                ? json.without(hooks.get(), list.get()).text()
                : json.without(json.root(), hooks.get()).text();
    }

    private boolean isOwn(@Nullable Object value) {
        return switch (value) {
            case Map<?, ?> map -> map.values().stream().anyMatch(this::isOwn);
            case List<?> list -> list.stream().anyMatch(this::isOwn);
            case String text -> text.matches(".*writ'? hook " + agent.word());
            case null, default -> false;
        };
    }

    private JsonText parse(String text) {
        try {
            var json = new JsonText(text);
            if (json.value(json.root()) instanceof Map<?, ?> map
                    && (map.get(HOOKS) == null || isHooks(map.get(HOOKS)))) {
                return json;
            }
            throw new UsageException(
                    "`" + file + "` has something else under `hooks`; nothing was changed");
        } catch (JsonException e) {
            throw new UsageException(
                    "`" + file + "` cannot be read, so nothing was changed: " + e.getMessage());
        }
    }

    private boolean isHooks(@Nullable Object hooks) {
        return hooks instanceof Map<?, ?> map
                && (!map.containsKey(event) || map.get(event) instanceof List);
    }
}
