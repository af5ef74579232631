// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.writ.conformance.stage.Account;
import dev.writ.conformance.stage.HostTools;
import dev.writ.conformance.stage.Layout;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class LauncherTest {
    private static final HostTools TOOLS =
            new HostTools(List.of(Path.of("/usr/bin"), Path.of("/bin")), Map.of());
    private static final Account ACCOUNT = new Account("op", 1000, 1001, false);

    @Test
    void words_are_split_like_a_shell_does_and_nothing_is_expanded() {
        assertThat(Words.split("a 'b c' \"d \\\" 'e\" f\\ g ''  $HOME `id` *"))
                .containsExactly("a", "b c", "d \" 'e", "f g", "", "$HOME", "`id`", "*");
    }

    @Test
    void an_open_quote_is_an_error() {
        assertThatThrownBy(() -> Words.split("a 'b")).isInstanceOf(LauncherException.class);
    }

    @Test
    void placeholders_are_filled_within_words() {
        var launcher = Launcher.parse("env -C {ws} A={out}:{home} {ro} {uid}:{gid}", TOOLS);

        assertThat(launcher.fill(new Layout(Path.of("/b")), ACCOUNT, Path.of("/d")))
                .containsExactly("env", "-C", "/b/ws", "A=/b/out:/b/home", "/b/ro", "1000:1001");
    }

    @Test
    void what_is_not_installed_says_so() {
        assertThatThrownBy(() -> Launcher.parse("no-such-program --", TOOLS))
                .hasMessageContaining("`no-such-program` is not installed");
    }

    @Test
    void a_backend_is_writ_with_the_policy_of_the_group() {
        var launcher = Launcher.writ(List.of("/opt/writ", "-v"), "process");

        assertThat(launcher.fill(new Layout(Path.of("/b")), ACCOUNT, Path.of("/d")))
                .containsExactly(
                        "/opt/writ",
                        "-v",
                        "run",
                        "--backend",
                        "process",
                        "--policy",
                        "/b/host/policy.yaml",
                        "--");
    }

    @Test
    void every_ready_launcher_is_a_command_line() {
        assertThat(ReadyLaunchers.all())
                .containsOnlyKeys("bubblewrap", "unshare", "firejail", "docker", "podman")
                .allSatisfy((name, line) -> assertThat(Words.split(line)).isNotEmpty());
    }
}
