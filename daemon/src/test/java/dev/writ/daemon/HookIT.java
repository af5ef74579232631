// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.writ.daemon.client.DaemonClient;
import dev.writ.trust.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What agents are told, event by event, in the shapes in which they send them.
class HookIT {
    @TempDir Path folder;
    private DaemonWorld world;

    @BeforeEach
    void start() throws IOException {
        world = new DaemonWorld(folder, OptionalInt.empty());
        policy(
                "allow: [write:., read:/usr, 'net:https://example.com', tool:mcp/good/*]\nask: [read:/opt]");
        Files.writeString(world.workspace.resolve("a"), "a");
    }

    @AfterEach
    void end() throws IOException {
        world.close();
    }

    private void policy(String text) throws IOException {
        Files.writeString(world.workspace.resolve("writ.yaml"), "version: 1\n" + text + "\n");
    }

    /// @param output of the hook, as JSON; empty for none
    private record Said(int code, String error, Map<String, @Nullable Object> output) {
        String decision() {
            var inner = output.get("hookSpecificOutput") instanceof Map<?, ?> map ? map : output;
            var decision = inner.get("permissionDecision");
            return String.valueOf(decision == null ? output.get("decision") : decision);
        }
    }

    private Said ask(String agent, String event) throws IOException {
        DaemonClient.Answer answer = world.ask("POST", "/v1/hook/" + agent, event);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        var lines = answer.body().split("\n", -1);
        assertThat(lines).hasSize(5).endsWith("end", "");
        return new Said(
                Integer.parseInt(lines[0]),
                lines[1],
                lines[2].isEmpty() ? Map.of() : DaemonWorld.object(DaemonWorld.read(lines[2])));
    }

    private Said use(String agent, String tool, Map<String, ?> input) throws IOException {
        return use(agent, tool, input, Map.of());
    }

    private Said use(String agent, String tool, Map<String, ?> input, Map<String, ?> more)
            throws IOException {
        var event = new HashMap<String, @Nullable Object>();
        event.put("cwd", world.workspace.toString());
        if (agent.equals("copilot")) {
            event.put("timestamp", 1_763_000_000_000L);
            event.put("toolName", tool);
            event.put("toolArgs", Json.write(input));
        } else {
            event.put("session_id", "s1");
            event.put("transcript_path", "/tmp/t.jsonl");
            event.put("hook_event_name", agent.equals("gemini") ? "BeforeTool" : "PreToolUse");
            event.put("tool_name", tool);
            event.put("tool_input", input);
        }
        event.putAll(more);
        return ask(agent, Json.write(event));
    }

    private static void denied(Said said, String reason) {
        assertThat(said.code()).isEqualTo(2);
        assertThat(said.error()).startsWith("writ: ").contains(reason);
        assertThat(said.decision()).isEqualTo("deny");
        assertThat(said.output().toString()).contains(reason);
    }

    private static void goesOn(Said said) {
        assertThat(said).isEqualTo(new Said(0, "", Map.of()));
    }

    @ParameterizedTest
    @CsvSource({
        "claude, Read, file_path", "claude, Edit, file_path", "claude, NotebookEdit, notebook_path",
        "copilot, view, path", "copilot, create, path", "gemini, read_file, file_path",
        "gemini, write_file, file_path", "gemini, list_directory, dir_path",
                "codex, view_image, path"
    })
    void files_are_judged_where_they_lie(String agent, String tool, String name)
            throws IOException {
        var outside = Files.writeString(folder.resolve("outside"), "secret");
        Files.createSymbolicLink(world.workspace.resolve("link"), outside);
        Files.createSymbolicLink(world.workspace.resolve("dangling"), folder.resolve("no/such"));
        Files.createDirectories(folder.resolve("workspace-evil"));
        Files.createSymbolicLink(world.workspace.resolve("up"), folder.resolve("home"));

        goesOn(use(agent, tool, Map.of(name, "a")));
        goesOn(use(agent, tool, Map.of(name, world.workspace + "/./x/../a")));
        for (var bad :
                List.of(
                        "link",
                        "dangling",
                        "../outside",
                        "../workspace-evil/a",
                        outside.toString(),
                        "~/x",
                        "/etc/shadow",
                        "//etc//shadow",
                        "/proc/self/root/etc/shadow")) {
            denied(use(agent, tool, Map.of(name, bad)), "denied: `");
        }
        for (var unclear : List.of("", "~root/x", "file:///etc/passwd", "up/../a", "a\0b")) {
            denied(use(agent, tool, Map.of(name, unclear)), "not clear what is wanted");
        }
    }

    @Test
    void an_agent_may_not_write_its_own_rules() throws IOException {
        for (var name :
                List.of("writ.yaml", "sub/writ.yaml", ".claude/settings.json", "CLAUDE.md")) {
            denied(use("claude", "Write", Map.of("file_path", name)), "guarded by");
        }
    }

    @Test
    void all_names_in_one_input_count() throws IOException {
        denied(
                use(
                        "gemini",
                        "read_file",
                        Map.of("file_path", "a", "absolute_path", "/etc/shadow")),
                "read:/etc/shadow");
        denied(use("claude", "Read", Map.of()), "does not say which file");
    }

    @ParameterizedTest
    @CsvSource({
        "claude, Bash, command",
        "codex, Bash, command",
        "codex, exec_command, cmd",
        "copilot, bash, command",
        "gemini, run_shell_command, command"
    })
    void commands_run_under_writ(String agent, String tool, String name) throws IOException {
        String command = "echo 'it''s' \"$HOME\"; # \n rm -rf /";
        var said =
                use(
                        agent,
                        tool,
                        Map.of(
                                name,
                                command,
                                "description",
                                "d",
                                "dangerouslyDisableSandbox",
                                true,
                                "sandbox_permissions",
                                "require_escalated"));

        assertThat(said.code()).isZero();
        assertThat(said.decision()).isEqualTo("allow");
        var input = input(said);
        assertThat(input).containsOnlyKeys("description", name);
        assertThat(String.valueOf(input.get(name)))
                .isEqualTo(
                        "'/opt/writ/writ' 'run' '--workspace' '"
                                + world.workspace
                                + "' '--' '/usr/bin/bash' '-c' '"
                                + command.replace("'", "'\\''")
                                + "'");
    }

    /// Whatever the command is, to the shell of the agent it is one word.
    @ParameterizedTest
    @ValueSource(strings = {"dash", "bash", "zsh", "fish"})
    void no_shell_takes_a_command_for_several(String shell) throws Exception {
        var program = Path.of("/usr/bin", shell);
        assumeTrue(Files.isExecutable(program), "needs " + shell);
        for (var command :
                List.of(
                        "echo \\'; echo out #",
                        "a\\",
                        "\\\\'; echo out #",
                        "'\\''; echo out #",
                        "x\ny $(echo out) `echo out` $HOME !! \"%s")) {
            String said =
                    String.valueOf(
                            input(use("claude", "Bash", Map.of("command", command)))
                                    .get("command"));
            var process =
                    new ProcessBuilder(
                                    program.toString(),
                                    "-c",
                                    said.replace("'/opt/writ/writ'", "printf '%s|'"))
                            .start();
            String words = new String(process.getInputStream().readAllBytes(), UTF_8);
            assertThat(words).as(command).endsWith("|-c|" + command + "|");
        }
    }

    private static Map<String, @Nullable Object> input(Said said) {
        if (said.output().get("modifiedArgs") instanceof Map<?, ?> input) {
            return DaemonWorld.object(input);
        }
        var inner = (Map<?, ?>) Objects.requireNonNull(said.output().get("hookSpecificOutput"));
        var updated = inner.get("updatedInput");
        return DaemonWorld.object(
                Objects.requireNonNull(updated == null ? inner.get("tool_input") : updated));
    }

    @Test
    void a_command_of_words_stays_one() throws IOException {
        var said = use("codex", "shell", Map.of("command", List.of("ls", "a b")));
        assertThat(String.valueOf(input(said).get("command"))).endsWith("--, ls, a b]");
        denied(use("codex", "shell", Map.of("command", 1L)), "not clear");
        denied(use("codex", "shell", Map.of("command", "a", "cmd", "b")), "not clear");
        denied(use("claude", "Bash", Map.of()), "not clear");
    }

    /// Some agents take spaces off before they open what is left.
    @Test
    void a_name_with_spaces_around_it_is_not_clear() throws IOException {
        for (var name :
                List.of(" /etc/shadow", "\t/etc/shadow", "\u00a0~/.bashrc", "\ufeff/etc/x", "a ")) {
            denied(use("claude", "Read", Map.of("file_path", name)), "not clear");
            denied(use("claude", "Write", Map.of("file_path", name)), "not clear");
        }
        goesOn(use("claude", "Read", Map.of("file_path", "a b")));
    }

    @Test
    void patches_are_judged_by_every_file_they_name() throws IOException {
        String good = "*** Begin Patch\n*** Update File: a\n@@\n-a\n+b\n*** End Patch";
        goesOn(use("codex", "apply_patch", Map.of("command", good)));
        for (var bad :
                List.of(
                        "*** Add File: /etc/x",
                        "  *** Delete File: ../x",
                        "*** Move to: ~/.bashrc")) {
            denied(
                    use("codex", "apply_patch", Map.of("command", good.replace("@@", bad))),
                    "denied: `write:");
        }
        for (var space : List.of("\u00a0", "\u2003", "\u3000", "\ufeff", "\t")) {
            String hidden = good.replace("@@", space + "*** Add File: /etc/x");
            denied(use("codex", "apply_patch", Map.of("command", hidden)), "denied: `write:/etc/x");
        }
        for (var unclear :
                List.of(
                        "*** Add File: a\r/../../x",
                        "*** Add File: a\u2028/../../x",
                        "+b\r*** Add File: /etc/x",
                        "\u0085*** Add File: /etc/x",
                        "*** Add File: a\u00a0",
                        "*** Add File:  /etc/x",
                        "*** Move to: a ")) {
            denied(
                    use("codex", "apply_patch", Map.of("command", good.replace("@@", unclear))),
                    "not clear");
        }
        goesOn(use("codex", "apply_patch", Map.of("command", good.replace("\n", "\r\n"))));
        denied(use("codex", "apply_patch", Map.of("command", "*** New File: x")), "not clear");
        denied(use("codex", "apply_patch", Map.of("command", "nothing")), "not clear");
    }

    @Test
    void addresses_are_judged_as_requests() throws IOException {
        goesOn(
                use(
                        "claude",
                        "WebFetch",
                        Map.of("url", "https://example.com/a?b#c", "prompt", "p")));
        goesOn(use("gemini", "web_fetch", Map.of("prompt", "read https://example.com/a please")));
        denied(use("claude", "WebFetch", Map.of("url", "https://example.org/")), "denied: `net:");
        denied(
                use(
                        "gemini",
                        "web_fetch",
                        Map.of("prompt", "https://example.com/ http://10.0.0.1/")),
                "10.0.0.1");
        for (var space : List.of("\u00a0", "\u2028", "\u3000", "\ufeff")) {
            denied(
                    use(
                            "gemini",
                            "web_fetch",
                            Map.of(
                                    "prompt",
                                    "https://example.com/?a=" + space + "http://10.0.0.1/")),
                    "10.0.0.1");
        }
        for (var unclear : List.of("file:///etc/passwd", "https://a@example.com/", "x")) {
            denied(use("copilot", "web_fetch", Map.of("url", unclear)), "not clear");
        }
    }

    @Test
    void other_tools_are_denied_unless_a_rule_names_them() throws IOException {
        goesOn(use("claude", "mcp__good__list", Map.of()));
        goesOn(
                use(
                        "gemini",
                        "anything",
                        Map.of(),
                        Map.of("mcp_context", Map.of("server_name", "good", "tool_name", "x"))));
        goesOn(use("claude", "TodoWrite", Map.of("todos", List.of())));
        denied(use("claude", "mcp__bad__list", Map.of()), "tool:mcp/bad/list");
        denied(use("claude", "Monitor", Map.of("command", "id")), "tool:claude/Monitor");
        denied(use("copilot", "write_bash", Map.of("input", "id")), "tool:copilot/write_bash");
        denied(use("claude", "mcp__good__../x", Map.of()), "not clear");
        denied(use("claude", "Grep", Map.of("pattern", "x")), "search with the shell tool");
        goesOn(use("claude", "Grep", Map.of("pattern", "x", "path", "a")));
    }

    /// The server may be `good` or `good__bad`, and Claude Code does not say.
    @Test
    void a_name_that_can_be_read_in_two_ways_needs_both() throws IOException {
        for (var name : List.of("mcp__good__bad__x", "mcp__good___x", "mcp__good__a__")) {
            var said = use("claude", name, Map.of());
            if (name.endsWith("__")) {
                goesOn(said); // no tool is without a name
            } else {
                denied(said, "tool:mcp/good_");
            }
        }
        denied(use("claude", "mcp__good" + "_".repeat(200), Map.of()), "not clear");
        policy("allow: [tool:mcp/good/*, tool:mcp/good__bad/x]");
        goesOn(use("claude", "mcp__good__bad__x", Map.of()));
    }

    @Test
    void only_an_agent_in_front_of_a_person_asks() throws IOException {
        var input = Map.of("file_path", "/opt/x");
        var asked = use("claude", "Read", input, Map.of("permission_mode", "default"));
        assertThat(asked.code()).isZero();
        assertThat(asked.decision()).isEqualTo("ask");
        denied(use("claude", "Read", input, Map.of("permission_mode", "bypassPermissions")), "ask");
        denied(use("claude", "Read", input), "ask");
        denied(use("gemini", "read_file", input), "ask");
    }

    /// A yes is for all of it.
    @Test
    void a_question_shows_all_that_is_asked_for_or_is_none() throws IOException {
        var mode = Map.of("permission_mode", "default");
        var asked =
                use(
                        "claude",
                        "Read",
                        Map.of("file_path", "/opt/first", "path", "/opt/second"),
                        mode);
        assertThat(asked.decision()).isEqualTo("ask");
        assertThat(asked.output().toString()).contains("/opt/first", "/opt/second");
        var far = Map.of("file_path", "/opt/" + "x/".repeat(1500), "path", "/opt/second");
        denied(use("claude", "Read", far, mode), "too long");
    }

    @Test
    void an_agent_takes_no_other_policy_along() throws IOException {
        goesOn(use("claude", "Read", Map.of("file_path", "a")));
        var other = Files.createDirectories(folder.resolve("other"));
        Files.writeString(other.resolve("writ.yaml"), "version: 1\nallow: [read:/**]\n");
        var there = Map.of("cwd", other.toString());
        var input = Map.of("file_path", "/var/x");
        denied(use("claude", "Read", input, there), "denied");
        // Another session begins there, so it is the operator who has begun it.
        goesOn(use("claude", "Read", input, Map.of("cwd", other.toString(), "session_id", "s2")));
    }

    @Test
    void a_changed_policy_holds_at_once() throws IOException {
        denied(use("claude", "Read", Map.of("file_path", "/var/x")), "denied");
        policy("allow: [read:/var]");
        goesOn(use("claude", "Read", Map.of("file_path", "/var/x")));
        policy("allow: [nonsense]");
        denied(use("claude", "Read", Map.of("file_path", "/var/x")), "not available");
        denied(use("claude", "Bash", Map.of("command", "ls")), "not available");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                " ",
                "null",
                "[]",
                "{}",
                "{\"tool_name\": \"Read\"}",
                "{\"tool_name\": \"Read\", \"cwd\": \"relative\"}",
                "{\"tool_name\": \"Read\", \"cwd\": \"/no/such/folder\"}",
                "{\"tool_name\": \"TodoWrite\", \"tool_name\": \"Read\", \"cwd\": \"/\"}",
                "{\"tool_name\": \"TodoWrite\", \"toolName\": \"Bash\", \"cwd\": \"/\"}",
                "{\"tool_name\": 7, \"cwd\": \"/\"}",
                "{\"tool_name\": \"Bash\", \"tool_input\": [], \"cwd\": \"/\"}",
                "{\"tool_name\": \"Bash\", \"tool_input\": {}, \"toolArgs\": {}, \"cwd\": \"/\"}",
                "{\"hook_event_name\": \"PostToolUse\", \"tool_name\": \"TodoWrite\", \"cwd\": \"/\"}",
                "{\"tool_name\": \"TodoWrite\", \"cwd\": \"/\"} x",
                "\u0000"
            })
    void what_is_not_understood_is_denied(String event) throws IOException {
        for (var agent : List.of("claude", "codex", "copilot", "gemini")) {
            denied(ask(agent, event), "not clear what is wanted");
        }
    }

    @Test
    void huge_events_are_answered_and_the_answer_stays_small() throws IOException {
        String long1 = "x".repeat(1 << 20);
        denied(ask("claude", "[".repeat(1 << 20)), "not clear");
        denied(use("claude", "Read", Map.of("file_path", "/" + long1)), "denied");
        denied(
                use("claude", "Read", Map.of("file_path", "/a/..".repeat(200_000) + "/etc/shadow")),
                "not clear");
        denied(use("claude", long1, Map.of()), "not clear");
        denied(
                use("claude", "WebFetch", Map.of("url", "https://" + "a.".repeat(1 << 19))),
                "not clear");
        denied(
                use("codex", "apply_patch", Map.of("command", " *** ".repeat(200_000))),
                "not clear");
        denied(
                use("codex", "apply_patch", Map.of("command", "*** Add File: a\n".repeat(60_000))),
                "at once");
        denied(
                use("gemini", "web_fetch", Map.of("prompt", "http://a.b ".repeat(90_000))),
                "at once");
        var said =
                use("claude", "Read", Map.of("file_path", "/\u001b[2J\u202e" + "x".repeat(4000)));
        assertThat(said.error()).hasSizeLessThan(3000).doesNotContain("\u001b", "\u202e");
    }

    @Test
    void many_may_ask_at_once() throws Exception {
        var tasks = new ArrayList<Callable<Said>>();
        for (int i = 0; i < 64; i++) {
            String name = i % 2 == 0 ? "a" : "/etc/shadow";
            var session = Map.of("session_id", "s" + i % 5);
            tasks.add(() -> use("claude", "Read", Map.of("file_path", name), session));
        }
        try (var threads = Executors.newFixedThreadPool(64)) {
            var answers = threads.invokeAll(tasks);
            for (int i = 0; i < 64; i++) {
                assertThat(answers.get(i).get().code()).isEqualTo(i % 2 == 0 ? 0 : 2);
            }
        }
    }
}
