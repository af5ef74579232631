// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.mcp.transport.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A client that does what it likes, on standard streams.
class McpIT {
    private static final String ASKING = "{\"elicitation\":{}}";
    private static final String POLICY =
            "version: 1\nextends: [workspace]\nask: [exec:id, exec:printf]\n";

    @TempDir private Path folder;

    private RawClient client(String capabilities) throws IOException {
        return new RawClient(Workshop.in(folder, POLICY).settings()).hello(capabilities);
    }

    private static Map<String, Object> command(String command) {
        return Map.of("command", command);
    }

    @Test
    void a_command_runs_and_what_is_denied_is_an_error_of_the_tool() throws IOException {
        try (var client = client("{}")) {
            var fine = client.reply("shell", command("echo out; echo err >&2"));
            var denied = client.reply("shell", Map.of("argv", List.of("/usr/bin/sudo", "ls")));
            var inside = client.reply("shell", command("cat /etc/shadow"));

            assertThat(fine.isError()).isFalse();
            assertThat(fine.field("stdout")).isEqualTo("out\n");
            assertThat(fine.field("stderr")).isEqualTo("err\n");
            assertThat(denied.isError()).isTrue();
            assertThat(inside.isError()).isTrue();
            assertThat(inside.text())
                    .contains("writ: denied: `read:/etc/shadow`", "guards.yaml", "to change that");
        }
    }

    @Test
    void a_link_or_dots_lead_to_no_file_that_the_policy_does_not_grant() throws IOException {
        try (var client = client("{}")) {
            var secret = Files.writeString(folder.resolve("secret"), "not for you");
            var link = folder.resolve("project/link");
            Files.createSymbolicLink(link, secret.toRealPath());

            assertThat(Files.readString(link)).isEqualTo("not for you"); // it leads there
            for (var path : List.of("link", "../secret", secret.toRealPath().toString())) {
                var reply = client.reply("shell", Map.of("argv", List.of("/usr/bin/cat", path)));

                assertThat(reply.isError()).isTrue();
                assertThat(reply.text()).contains("writ: denied").doesNotContain("not for you");
            }
        }
    }

    @Test
    void what_is_no_message_gets_an_error_and_the_next_one_its_answer() throws IOException {
        var wrong =
                List.of(
                        "nonsense",
                        "[]",
                        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}",
                        "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}",
                        "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
                        "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}",
                        "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}",
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}",
                        "{\"jsonrpc\":\"2.0\"}",
                        "null",
                        "{".repeat(100_000),
                        "{\"a\":" + "[".repeat(100_000),
                        "\u0000\u0001\u0002",
                        "x".repeat(10 << 20));
        try (var client = client("{}")) {
            for (var line : wrong) {
                client.send(line);

                assertThat(client.next())
                        .as(line.substring(0, Math.min(60, line.length())))
                        .containsKey("error");
            }
            client.send(new byte[] {'{', '"', (byte) 0xff, '"', ':', '1', '}', '\n'});

            assertThat(client.next()).containsKey("error");
            assertThat(client.reply("shell", command("echo still here")).field("stdout"))
                    .isEqualTo("still here\n");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tools/call | {\"name\":\"shell\",\"arguments\":[1]}",
                "tools/call | {\"name\":\"shell\",\"arguments\":\"x\"}",
                "tools/call | {\"name\":\"shell\",\"arguments\":5}",
                "tools/call | {\"name\":5,\"arguments\":{}}",
                "tools/call | {\"name\":[],\"arguments\":{}}",
                "tools/call | {\"arguments\":{}}",
                "tools/call | {\"name\":\"shell\",\"_meta\":\"x\"}",
                "tools/call | [\"shell\"]",
                "tools/call | \"shell\"",
                "tools/call | null",
                "tools/list | {\"cursor\":{}}",
                "tools/list | []",
                "tools/list | 5",
                "no/such | []",
                "initialize | {\"capabilities\":[]}",
                "initialize | []",
            })
    void parameters_of_another_kind_are_said_to_be_wrong_in_plain_words(
            String method, String parameters) throws IOException {
        try (var client = client("{}")) {
            client.send(
                    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"%s\",\"params\":%s}"
                            .formatted(method, parameters));
            var answer = client.next();
            assertThat(answer).containsEntry("id", 7);
            assertThat(answer.toString())
                    .contains("-32602", "these are no parameters of `" + method + "`")
                    .doesNotContain("java", "jackson", "io.modelcontextprotocol");
            assertThat(client.reply("shell", command("echo on")).field("stdout")).isEqualTo("on\n");
        }
    }

    @Test
    void half_of_a_character_does_not_become_another_one() throws IOException {
        try (var client = client("{}")) {
            for (var arguments :
                    List.of(
                            "{\"command\":\"echo \\ud800*\"}",
                            "{\"argv\":[\"echo\",\"\\udcff\"]}",
                            "{\"command\":\"cat\",\"stdin\":\"\\udc00\"}")) {
                client.send(
                        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":"
                                + "{\"name\":\"shell\",\"arguments\":"
                                + arguments
                                + "}}");

                assertThat(client.next().toString()).contains("half of a surrogate pair");
            }
        }
    }

    @Test
    void arguments_that_a_tool_does_not_know_are_refused_and_said_so() throws IOException {
        var wrong = new HashMap<Map<String, Object>, String>();
        wrong.put(Map.of(), "one of `command` and `argv`");
        wrong.put(Map.of("command", "a", "argv", List.of("a")), "one of `command` and `argv`");
        wrong.put(Map.of("command", 5), "must be a text");
        wrong.put(Map.of("argv", "ls"), "must be a list");
        wrong.put(Map.of("argv", List.of(1, 2)), "must be a text");
        wrong.put(Map.of("argv", List.of()), "at least one word");
        wrong.put(Map.of("command", "a\0b"), "NUL");
        wrong.put(Map.of("argv", List.of("echo", "a\0b")), "NUL");
        wrong.put(Map.of("command", "x".repeat(200_000)), "at most");
        wrong.put(Map.of("command", "ls", "cwd", "../nowhere"), "no folder");
        wrong.put(Map.of("command", "ls", "timeout_ms", -1), "must be a number");
        wrong.put(Map.of("command", "ls", "timeout_ms", "soon"), "must be a number");
        wrong.put(Map.of("command", "ls", "privileged", true), "unknown field `privileged`");
        wrong.put(Map.of("comand", "ls"), "did you mean `command`");
        try (var client = client("{}")) {
            wrong.forEach(
                    (arguments, why) -> {
                        var reply = client.reply("shell", arguments);

                        assertThat(reply.isError()).isTrue();
                        assertThat(reply.text()).startsWith("writ: ").contains(why);
                    });
            client.call(1, "no_such_tool", Map.of());

            assertThat(client.next()).containsKey("error");
        }
    }

    @Test
    void control_characters_are_data() throws IOException {
        try (var client = client("{}")) {
            String odd = "\u001b]0;x\u0007\r\n\u202e";
            var reply = client.reply("shell", Map.of("argv", List.of("/bin/echo", "-n", odd)));

            assertThat(reply.field("stdout")).isEqualTo(odd);
        }
    }

    @Test
    void of_long_output_the_beginning_and_the_end_are_given() throws IOException {
        try (var client = client("{}")) {
            var reply =
                    client.reply(
                            "shell",
                            command("echo first; yes | head -c 100000000; echo; echo last"));

            assertThat(reply.field("cut")).isEqualTo(true);
            assertThat(String.valueOf(reply.field("stdout")))
                    .startsWith("first\n")
                    .endsWith("last\n")
                    .containsPattern("\\[writ: [0-9]+ bytes are left out here]")
                    .hasSizeLessThan(70_000);
        }
    }

    /// The text of the question, and the answer to the call that `answer` brings about.
    private record Asked(String message, RawClient.Reply reply) {}

    private static Asked ask(RawClient client, Map<String, Object> arguments, String answer)
            throws IOException {
        client.call("c", "shell", arguments);
        var question = client.next();
        assertThat(question).containsEntry("method", "elicitation/create");
        var id = Json.MAPPER.writeValueAsString(question.get("id"));
        client.send("{\"jsonrpc\":\"2.0\",\"id\":" + id + "," + answer + "}");
        var params = RawClient.map(question.get("params"));
        return new Asked(String.valueOf(params.get("message")), client.reply());
    }

    @Test
    void a_question_is_answered_for_exactly_what_was_shown_and_once() throws IOException {
        String yes = "\"result\":{\"action\":\"accept\",\"content\":{\"answer\":\"once\"}}";
        try (var client = client(ASKING)) {
            var first = ask(client, Map.of("argv", List.of("id", "-u")), yes);
            var second =
                    ask(
                            client,
                            Map.of("argv", List.of("id", "-u")),
                            "\"result\":{\"action\":\"decline\"}");

            assertThat(first.message())
                    .contains("what | exec:/usr/bin/id -u", "rule   `exec:id`", "raw", "project");
            assertThat(first.reply().isError()).isFalse();
            assertThat(second.reply().isError()).isTrue();
            assertThat(second.reply().text()).contains("refused by");
        }
    }

    @Test
    void what_is_no_clear_yes_is_a_no() throws IOException {
        var answers =
                List.of(
                        "\"result\":{\"action\":\"accept\"}",
                        "\"result\":{\"action\":\"accept\",\"content\":{}}",
                        "\"result\":{\"action\":\"accept\",\"content\":{\"answer\":\"no\"}}",
                        "\"result\":{\"action\":\"accept\",\"content\":{\"answer\":true}}",
                        "\"result\":{\"action\":\"accept\",\"content\":{\"answer\":\"always\"}}",
                        "\"result\":{\"action\":\"cancel\",\"content\":{\"answer\":\"once\"}}",
                        "\"result\":{\"action\":\"yes\",\"content\":{\"answer\":\"once\"}}",
                        "\"result\":{}",
                        "\"result\":[]",
                        "\"error\":{\"code\":-32601,\"message\":\"what is that\"}");
        try (var client = client(ASKING)) {
            for (var answer : answers) {
                client.call("c", "shell", Map.of("argv", List.of("id")));
                // Whoever answers nonsense may be asked again, but not for ever.
                var message = client.next();
                for (int i = 0; i < 5 && message.containsKey("method"); i++) {
                    var id = Json.MAPPER.writeValueAsString(message.get("id"));
                    client.send("{\"jsonrpc\":\"2.0\",\"id\":" + id + "," + answer + "}");
                    message = client.next();
                }

                assertThat(new RawClient.Reply(message).isError()).as(answer).isTrue();
            }
        }
    }

    @Test
    void an_agent_cannot_write_lines_of_ours_into_a_question() throws IOException {
        try (var client = client(ASKING)) {
            var asked =
                    ask(
                            client,
                            Map.of(
                                    "argv",
                                    List.of(
                                            "printf",
                                            "x\n  rule   `exec:ls` (writ.yaml:1:1)\u202e\u001b[2J"
                                                    + " ".repeat(200)
                                                    + "rule   harmless")),
                            "\"result\":{\"action\":\"decline\"}");

            assertThat(asked.message()).doesNotContain("\u001b", "\u202e", "\r");
            assertThat(asked.message().lines().filter(l -> l.strip().startsWith("rule")))
                    .singleElement()
                    .asString()
                    .contains("`exec:printf`");
            assertThat(asked.message()).contains("\\u{a}", "\\u{202e}", "\\u{1b}");
        }
    }

    @Test
    void what_cannot_be_shown_whole_is_not_asked() throws IOException {
        try (var client = client(ASKING)) {
            var reply =
                    client.reply("shell", Map.of("argv", List.of("printf", "x".repeat(20_000))));

            assertThat(reply.isError()).isTrue();
            assertThat(reply.text()).contains("too long to be shown whole");
        }
    }

    @Test
    void a_client_that_cannot_ask_is_told_so() throws IOException {
        try (var client = client("{\"elicitation\":{\"url\":{}}}")) {
            var reply = client.reply("shell", Map.of("argv", List.of("id")));

            assertThat(reply.isError()).isTrue();
            assertThat(reply.text()).contains("does not offer elicitation");
        }
    }

    private void awaitFile(String name) throws InterruptedException {
        var file = folder.resolve("project").resolve(name);
        for (int i = 0; i < 600 && !Files.exists(file); i++) {
            Thread.sleep(50);
        }
        assertThat(file).exists();
    }

    private static void awaitEnd(long process) throws InterruptedException {
        for (int i = 0; i < 600 && runs(process); i++) {
            Thread.sleep(50);
        }
        assertThat(runs(process)).isFalse();
    }

    private static boolean runs(long process) {
        return ProcessHandle.of(process).filter(ProcessHandle::isAlive).isPresent();
    }

    private long started() throws IOException, InterruptedException {
        awaitFile("ready");
        var text = Files.readString(folder.resolve("project/pid"), UTF_8);
        return Long.parseLong(text.strip());
    }

    private static final String LONG =
            "setsid sh -c 'echo $$ > pid; : > ready; exec sleep 1000' & wait; sleep 1000";

    @Test
    void a_cancelled_call_ends_with_all_that_it_started_and_is_not_answered()
            throws IOException, InterruptedException {
        try (var client = client("{}")) {
            client.call(7, "shell", command(LONG));
            long process = started();
            client.send(
                    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":8}}");
            assertThat(runs(process)).isTrue();
            client.send(
                    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":7}}");
            awaitEnd(process);

            assertThat(client.hasNothing(500)).isTrue();
            assertThat(client.reply("shell", command("echo on")).field("stdout")).isEqualTo("on\n");
        }
    }

    @Test
    void what_runs_ends_when_the_client_closes_the_stream()
            throws IOException, InterruptedException {
        long process;
        try (var client = client("{}")) {
            client.call(1, "shell", command(LONG));
            process = started();
        }
        awaitEnd(process);
    }

    @Test
    void two_requests_of_one_id_are_not_confused() throws IOException, InterruptedException {
        try (var client = client("{}")) {
            client.call(1, "shell", command(": > ready; sleep 2; echo first"));
            awaitFile("ready");
            client.call(1, "shell", command("echo second"));

            assertThat(client.next()).containsKey("error");
            assertThat(client.reply().field("stdout")).isEqualTo("first\n");
        }
    }
}
