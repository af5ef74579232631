// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.writ.core.capability.Capability;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import dev.writ.core.capability.Secret;
import dev.writ.core.capability.SecretForm;
import dev.writ.core.capability.SecretSource;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Rule;
import dev.writ.core.policy.SecretDefinition;
import dev.writ.core.policy.Source;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class SecretReaderTest {
    @TempDir private Path folder;

    @Test
    void a_variable() {
        assertThat(read("env:TOKEN", Map.of("TOKEN", "12345678"))).isEqualTo("12345678");
        assertThatThrownBy(() -> read("env:TOKEN", Map.of()))
                .hasMessage("the secret `x` cannot be read: the variable `TOKEN` is not set");
    }

    @Test
    void a_file_of_one_line() throws Exception {
        var file = folder.resolve("token");
        Files.writeString(file, "12345678\r\n");
        assertThat(read("file:" + file, Map.of())).isEqualTo("12345678");
        Files.writeString(file, "12345678\nsecond");
        assertThatThrownBy(() -> read("file:" + file, Map.of())).hasMessageContaining("one line");
        assertThatThrownBy(() -> read("file:" + folder, Map.of()))
                .isInstanceOf(SecretException.class);
        assertThatThrownBy(() -> read("file:" + folder + "/none", Map.of()))
                .hasMessageContaining("there is no file");
    }

    @Test
    void the_first_line_of_a_command_that_no_shell_reads() {
        assertThat(read("command:printf %s\\n%s 12345678 second", path())).isEqualTo("12345678");
        assertThat(read("command:echo $HOME;`id`", path())).isEqualTo("$HOME;`id`");
        assertThatThrownBy(() -> read("command:false", path()))
                .hasMessageContaining("`false` ended with 1");
        assertThatThrownBy(() -> read("command:/no/such", path()))
                .hasMessageContaining("cannot be started");
        assertThatThrownBy(() -> read("command:cat", path())).hasMessageContaining("empty");
    }

    @Test
    void a_command_that_takes_too_long() {
        assertThatThrownBy(() -> read("command:sleep 600", path()))
                .hasMessageContaining("took longer");
    }

    /// Who is left behind holds the pipe open. Whether its end or that of the command is seen first
    /// is not up to us; that it does not take for ever is.
    @Test
    @Timeout(60)
    void a_command_that_leaves_somebody_behind() {
        var left = "command:" + script("sleep 20 & echo 12345678");
        try {
            assertThat(read(left, path())).isEqualTo("12345678");
        } catch (SecretException e) {
            assertThat(e).hasMessageContaining("took longer");
        }
    }

    @Test
    void a_keyring() throws Exception {
        assertThatThrownBy(() -> read("keyring:github", Map.of("PATH", folder.toString())))
                .hasMessageContaining("neither `secret-tool` nor `keyctl`");
        Files.move(Path.of(script("echo \"$@ 12345678\"")), folder.resolve("secret-tool"));
        assertThat(read("command:" + folder + "/secret-tool lookup writ github", path()))
                .isEqualTo("lookup writ github 12345678");
    }

    @Test
    void what_cannot_be_kept_out_of_answers_is_no_secret() {
        for (var value : List.of("", "1234567", "12345678\u0001", "1234\n5678", "x".repeat(4097))) {
            assertThatThrownBy(() -> read("env:TOKEN", Map.of("TOKEN", value)))
                    .isInstanceOf(SecretException.class)
                    .message()
                    .doesNotContain("1234567");
        }
        assertThat(read("env:TOKEN", Map.of("TOKEN", "x".repeat(4096)))).hasSize(4096);
    }

    @Test
    void one_that_is_missing_shows_before_anything_has_happened() {
        var reader = new SecretReader(Map.of());
        var definitions = List.of(definition("env:NONE"));
        assertThatThrownBy(() -> Secrets.read(definitions, reader))
                .isInstanceOfSatisfying(
                        SecretException.class, e -> assertThat(e.hint()).contains("set it"));
    }

    @Test
    void programs_see_what_stands_for_it_and_nowhere_the_value() {
        var secrets =
                Secrets.read(
                        List.of(definition("env:TOKEN")),
                        new SecretReader(Map.of("TOKEN", "12345678")));
        var policy = Policy.of(Scope.SPELLED_OUT, List.of(), List.of());

        var variables =
                secrets.environment(
                        policy, Map.of("URL", "https://me:12345678@host", "TOKEN", "12345678"));

        assertThat(variables.get("TOKEN")).matches("writ-secret-x-[0-9a-f]{32}");
        assertThat(variables.get("URL"))
                .isEqualTo("https://me:" + variables.get("TOKEN") + "@host");
        var deny =
                new Rule(
                        Effect.DENY,
                        Capability.parse("env:TOKEN", Scope.SPELLED_OUT),
                        "env:TOKEN",
                        Source.of("test"));
        var denying = Policy.of(Scope.SPELLED_OUT, List.of(deny), List.of());
        assertThat(secrets.environment(denying, Map.of())).isEmpty();
    }

    @Test
    void a_value_can_be_wiped() {
        var value = Value.of("x", "12345678".getBytes(StandardCharsets.UTF_8));
        value.wipe();
        assertThat(value.bytes()).containsOnly(0);
    }

    private String script(String text) {
        try {
            var file = Files.createTempFile(folder, "script", "");
            Files.writeString(file, "#!/bin/sh\n" + text + "\n");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
            return file.toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, String> path() {
        return Map.of("PATH", "/usr/bin:/bin");
    }

    private static SecretDefinition definition(String from) {
        var scope = new Scope(FilePath.ROOT, FilePath.ROOT, List.of());
        var source = SecretSource.parse(from, scope);
        return new SecretDefinition(
                source,
                (Secret) Capability.parse("secret:x@https://example.com", scope),
                SecretForm.usual(),
                source.variable().or(Optional::empty));
    }

    private static String read(String from, Map<String, String> variables) {
        return new SecretReader(variables, Duration.ofSeconds(2))
                .read(definition(from))
                .characters();
    }
}
