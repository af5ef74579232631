// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.hook;

import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Policy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Turns the command of an agent into one that runs it under Writ.
final class ConfinedShell {
    private static final List<String> COMMANDS = List.of("command", "cmd");

    /// What says how to run a command, but not with which rights. The rest is dropped: some of it
    /// would turn off a sandbox.
    private static final Set<String> HARMLESS =
            Set.of(
                    "description",
                    "timeout",
                    "run_in_background", // Claude
                    "workdir",
                    "timeout_ms",
                    "yield_time_ms",
                    "max_output_tokens", // Codex
                    "mode",
                    "sessionId",
                    "shellId",
                    "initial_wait", // Copilot
                    "dir_path",
                    "directory",
                    "is_background"); // Gemini

    private final String launcher;

    /// @param launcher the file that starts Writ
    ConfinedShell(String launcher) {
        this.launcher = launcher;
    }

    /// The input of `call`, with its command confined by the policy of `workspace`.
    ///
    /// @throws EventException if there is no one command in it
    Map<String, @Nullable Object> input(ToolCall call, Policy policy, FilePath workspace) {
        if (!launcher.startsWith("/")) {
            throw new EventException("nobody has told the daemon where `writ` lies");
        }
        var names = COMMANDS.stream().filter(call.input()::containsKey).toList();
        if (names.size() != 1) {
            throw new EventException("it has no command, or several");
        }
        var input = new LinkedHashMap<String, @Nullable Object>();
        call.input().forEach((k, v) -> keep(k, v, input));
        var words =
                new ArrayList<>(
                        List.of(launcher, "run", "--workspace", workspace.toString(), "--"));
        String name = names.getFirst();
        if (call.input().get(name) instanceof List<?> list) {
            list.forEach(word -> words.add(word(word)));
            input.put(name, words);
        } else {
            words.addAll(List.of(shell(policy), "-c", call.text(name).orElse("")));
            input.put(
                    name,
                    words.stream().map(ConfinedShell::quoted).collect(Collectors.joining(" ")));
        }
        return input;
    }

    private static void keep(
            String name, @Nullable Object value, Map<String, @Nullable Object> input) {
        if (HARMLESS.contains(name)) {
            input.put(name, value);
        }
    }

    private static String word(@Nullable Object word) {
        if (word instanceof String text && text.indexOf('\0') < 0) {
            return text;
        }
        throw new EventException("the command is no list of texts");
    }

    /// Models write for bash.
    private static String shell(Policy policy) {
        return policy.scope().programs().stream()
                .map(f -> f.resolve("bash").toString())
                .filter(f -> Files.isExecutable(Path.of(f)))
                .findFirst()
                .orElse("/bin/sh");
    }

    /// As one word to whatever shell the agent has: to fish a backslash is one even in quotes.
    private static String quoted(String word) {
        return "'" + word.replaceAll("['\\\\]", "'\\\\$0'") + "'";
    }
}
