// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Settings of agents belong to somebody else: what Writ puts there, it takes away again, and the
/// rest stays.
class HookVerbTest {
    @TempDir Path home;
    private Path settings;
    private String out = "";
    private String err = "";

    @BeforeEach
    void prepare() throws IOException {
        settings = Files.createDirectories(home.resolve(".claude")).resolve("settings.json");
    }

    private int hook(String answer, String... words) {
        return hook(new ByteArrayInputStream(answer.getBytes(UTF_8)), words);
    }

    private int hook(InputStream answer, String... words) {
        var output = new ByteArrayOutputStream();
        var errors = new ByteArrayOutputStream();
        var world =
                new World(
                        home,
                        Map.of("HOME", home.toString(), "WRIT_HOME", home + "/state"),
                        answer,
                        new PrintStream(output, true, UTF_8),
                        new PrintStream(errors, true, UTF_8),
                        false,
                        List.of("/opt/my writ/writ"));
        int code = new HookVerb().runWords(List.of(words), world);
        out = output.toString(UTF_8);
        err = errors.toString(UTF_8);
        return code;
    }

    private String text() throws IOException {
        return Files.readString(settings);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "",
                " { }\n",
                "{\"model\": \"x\"}",
                "{\n  \"z\": 1.50,\n  \"a\": \"}]\\\"{\",\n  \"b\": [1, {\"c\": null}]\n}\n",
                "{\"hooks\": {}}",
                "{\"hooks\": {\"PreToolUse\": []}, \"x\": 1}",
                "{\n\t\"hooks\": {\n\t\t\"Stop\": [],\n\t\t\"PreToolUse\": [\n\t\t\t{\"matcher\": \"Bash\", \"hooks\": []}\n\t\t]\n\t}\n}"
            })
    void what_was_there_comes_back_to_the_byte(String before) throws IOException {
        Files.writeString(settings, before);
        Files.setPosixFilePermissions(settings, PosixFilePermissions.fromString("rw-r-----"));

        assertThat(hook("", "install", "claude", "--yes")).as(err).isZero();
        String installed = text();
        assertThat(installed)
                .contains("\"command\": \"'/opt/my writ/writ' hook claude\"")
                .contains("\"onFailure\": \"block\"");
        assertThat(out).contains("+ ");
        assertThat(Files.getPosixFilePermissions(settings)).hasSize(3);
        assertThat(hook("", "install", "claude", "--yes")).isZero();
        assertThat(text()).as("idempotent").isEqualTo(installed);

        assertThat(hook("", "uninstall", "claude", "--yes")).isZero();
        assertThat(text()).isEqualTo(before);
        try (var files = Files.list(home.resolve(".claude"))) {
            assertThat(files).containsExactly(settings);
        }
    }

    @Test
    void what_others_changed_meanwhile_stays() throws IOException {
        Files.writeString(settings, "{\n  \"a\": 1\n}\n");
        hook("", "install", "claude", "--yes");
        Files.writeString(settings, text().replace("\"a\": 1", "\"a\": 2"));
        hook("", "uninstall", "claude", "--yes");
        assertThat(text()).isEqualTo("{\n  \"a\": 2\n}\n");
        hook("", "uninstall", "claude", "--yes");
        assertThat(out).contains("nothing to change");
    }

    @ParameterizedTest
    @CsvSource({
        "claude, .claude/settings.json",
        "codex, .codex/hooks.json",
        "copilot, .copilot/hooks/writ.json",
        "gemini, .gemini/settings.json"
    })
    void a_file_that_was_not_there_goes_again(String agent, String file) throws IOException {
        hook("", "install", agent, "--yes");
        assertThat(Files.readString(home.resolve(file))).contains(" hook " + agent);
        hook("", "uninstall", agent, "--yes");
        assertThat(home.resolve(file)).doesNotExist();
    }

    @Test
    void nothing_happens_without_a_yes() throws IOException {
        Files.writeString(settings, "{}");
        for (var answer : List.of("", "\n", "no\n")) {
            assertThat(hook(answer, "install", "claude")).isEqualTo(1);
            assertThat(text()).isEqualTo("{}");
        }
        assertThat(hook("y\n", "install", "claude")).isZero();
        assertThat(text()).contains("hook claude");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "{} // mine",
                "[]",
                "{\"hooks\": []}",
                "{\"hooks\": {\"PreToolUse\": {}}}",
                "{\"a\": 1, \"a\": 2}"
            })
    void what_cannot_be_read_is_not_changed(String before) throws IOException {
        Files.writeString(settings, before);
        for (var verb : List.of("install", "uninstall")) {
            assertThatThrownBy(() -> hook("", verb, "claude", "--yes"))
                    .isInstanceOf(UsageException.class)
                    .hasMessageContaining("nothing was changed");
        }
        assertThat(text()).isEqualTo(before);
    }

    /// Somebody has put ours beside theirs, or says the same at another event, or for one tool
    // only.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"matcher\": \"*\", \"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}, OURS]}",
                "{\"matcher\": \"*\", \"hooks\": [OURS, {\"type\": \"command\", \"command\": \"mine\"}]}",
                "{\"matcher\": \"*\", \"hooks\": [{\"type\": \"command\", \"command\": \"mine; writ hook claude\"}]}",
                "{\"matcher\": \"*\", \"hooks\": [{\"type\": \"command\", \"command\": \"/mine/notwrit hook claude\"}]}",
                "{\"matcher\": \"/opt/writ hook claude\", \"hooks\": [{\"command\": \"mine\"}]}",
                "\"mine\""
            })
    void hooks_of_others_stay(String theirs) throws IOException {
        String ours = "{\"type\": \"command\", \"command\": \"/old/writ hook claude\"}";
        String list = theirs.replace("OURS", ours);
        Files.writeString(settings, "{\"hooks\": {\"PreToolUse\": [" + list + "]}}");
        hook("", "install", "claude", "--yes");
        assertThat(text()).contains("mine", "'/opt/my writ/writ' hook").doesNotContain("/old/");
        Files.delete(settings.resolveSibling("settings.json.before-writ"));
        hook("", "uninstall", "claude", "--yes");
        assertThat(text()).contains("mine").doesNotContain("/opt/my writ", "/old/");
    }

    @Test
    void the_same_at_another_event_or_for_one_tool_is_not_enough() throws IOException {
        hook("", "install", "claude", "--yes");
        String elsewhere = text().replace("PreToolUse", "PostToolUse");
        Files.writeString(
                settings,
                elsewhere.replace(
                        "\"PostToolUse\"",
                        "\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"'/opt/my writ/writ' hook claude\"}]}], \"PostToolUse\""));
        hook("", "install", "claude", "--yes");
        assertThat(text()).doesNotContain("Bash").contains("PostToolUse");
        assertThat(text().split("hook claude", -1)).hasSize(3);
    }

    @Test
    void what_changes_while_the_answer_is_awaited_is_not_written_over() throws IOException {
        Files.writeString(settings, "{}");
        var slow =
                new FilterInputStream(new ByteArrayInputStream("y\n".getBytes(UTF_8))) {
                    @Override
                    public int read(byte[] to, int offset, int length) throws IOException {
                        Files.writeString(settings, "{\"mine\": 1}");
                        return super.read(to, offset, length);
                    }
                };
        assertThatThrownBy(() -> hook(slow, "install", "claude"))
                .hasMessageContaining("has changed meanwhile");
        assertThat(text()).isEqualTo("{\"mine\": 1}");
    }

    @Test
    void a_link_stays_a_link() throws IOException {
        var real = Files.writeString(home.resolve("dotfile"), "{}");
        Files.createSymbolicLink(settings, real);
        hook("", "install", "claude", "--yes");
        assertThat(settings).isSymbolicLink();
        assertThat(Files.readString(real)).contains("hook claude");
    }

    @ParameterizedTest
    @CsvSource({"true, true", "false, false", "'\"true\"', false"})
    void a_hook_that_is_never_run_is_not_called_installed_silently(String value, boolean off)
            throws IOException {
        Files.writeString(settings, "{\"disableAllHooks\": " + value + "}");
        assertThat(hook("", "install", "claude", "--yes")).isZero();
        assertThat(err.contains("`disableAllHooks` is set")).isEqualTo(off);
        assertThat(hook("", "install", "claude", "--yes")).isZero();
        assertThat(out).startsWith("nothing to change");
        assertThat(err.contains("`disableAllHooks` is set")).isEqualTo(off);
        assertThat(hook("", "uninstall", "claude", "--yes")).isZero();
        assertThat(err).doesNotContain("disableAllHooks");
    }
}
