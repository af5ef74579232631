// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.cli.JsonText.Span;
import dev.writ.core.json.JsonException;
import dev.writ.daemon.hook.CodingAgent;
import dev.writ.trust.Json;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Where an agent is told to ask Writ before it uses a tool, and how that is written there.
///
/// @param event what the agent calls the moment before a tool is used
/// @param entry what is to be in the list of that event
record HookSettings(CodingAgent agent, Path file, String event, String entry) {
    static final String OFF = "disableAllHooks";
    private static final String HOOKS = "hooks";

    /// As [#quoted] makes it of the path of any `writ`.
    private static final Pattern OWN =
            Pattern.compile("([\\w/.+-]*/writ|writ|'(?:[^']|'\\\\'')*/writ') hook \\w+");

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

    /// The file with the hook in it. As it is if it has just that one already.
    ///
    /// @param before empty if there is no file
    String installed(Optional<String> before) {
        String text =
                before.filter(b -> !b.isBlank())
                        .orElse(agent == CodingAgent.COPILOT ? "{\"version\": 1}\n" : "{}\n");
        if (hasEntry(text)) {
            return text;
        }
        var json = parse(before.isPresent() ? removed(text) : text);
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

    /// Whether the file says that no hook is to run, whatever else stands there.
    boolean isSwitchedOff(String text) {
        var json = parse(text);
        return json.member(json.root(), OFF).stream()
                .anyMatch(m -> Boolean.TRUE.equals(json.value(m)));
    }

    /// Whether the hook of ours is there in full: the same for other tools, or at another event, is
    /// another one.
    private boolean hasEntry(String text) {
        var json = parse(text);
        var wanted = new JsonText(entry);
        return list(json).stream()
                .flatMap(l -> json.elements(l).stream())
                .anyMatch(e -> Objects.equals(json.value(e), wanted.value(wanted.root())));
    }

    private Optional<Span> list(JsonText json) {
        return json.member(json.root(), HOOKS).flatMap(h -> json.member(h, event));
    }

    /// The file without any hook of ours, and without what is empty then. Those of others that
    /// stand in the same entry stay there.
    String removed(String text) {
        var json = parse(text);
        var list = list(json);
        if (list.isEmpty()) {
            return text;
        }
        for (var element : json.elements(list.get())) {
            if (isOwn(json.value(element))) {
                return removed(withoutElement(json, list.get(), element));
            }
            var handlers = json.member(element, HOOKS);
            var found = handlers.stream().flatMap(h -> json.elements(h).stream());
            var own = found.filter(h -> isOwn(json.value(h))).findFirst();
            if (own.isPresent()) {
                return removed(
                        json.elements(handlers.get()).size() > 1
                                ? json.without(handlers.get(), own.get()).text()
                                : withoutElement(json, list.get(), element));
            }
        }
        return text;
    }

    private static String withoutElement(JsonText json, Span list, Span element) {
        if (json.elements(list).size() > 1) {
            return json.without(list, element).text();
        }
        var hooks = json.member(json.root(), HOOKS).orElseThrow();
        return json.value(hooks) instanceof Map<?, ?> map && map.size() > 1
                ? json.without(hooks, list).text()
                : json.without(json.root(), hooks).text();
    }

    /// Whether it is a command of ours, and nothing else.
    private boolean isOwn(@Nullable Object handler) {
        return handler instanceof Map<?, ?> map
                && map.get(agent == CodingAgent.COPILOT ? "bash" : "command")
                        instanceof String command
                && OWN.matcher(command).matches()
                && command.endsWith(" hook " + agent.word());
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
