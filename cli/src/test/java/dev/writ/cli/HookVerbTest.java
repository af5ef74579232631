// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
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
        var output = new ByteArrayOutputStream();
        var errors = new ByteArrayOutputStream();
        var world =
                new World(
                        home,
                        Map.of("HOME", home.toString(), "WRIT_HOME", home + "/state"),
                        new ByteArrayInputStream(answer.getBytes(UTF_8)),
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

    @Test
    void a_link_stays_a_link() throws IOException {
        var real = Files.writeString(home.resolve("dotfile"), "{}");
        Files.createSymbolicLink(settings, real);
        hook("", "install", "claude", "--yes");
        assertThat(settings).isSymbolicLink();
        assertThat(Files.readString(real)).contains("hook claude");
    }
}
