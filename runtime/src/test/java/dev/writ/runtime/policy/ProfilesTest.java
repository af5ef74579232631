// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import dev.writ.core.policy.Decision;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Source;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What every profile we ship promises.
class ProfilesTest {
    private static final Scope SCOPE =
            new Scope(
                    FilePath.of("/work/p"),
                    FilePath.of("/home/op"),
                    List.of(FilePath.of("/usr/bin"), FilePath.of("/bin")));

    static List<String> names() {
        return Profiles.names();
    }

    @ParameterizedTest
    @MethodSource("names")
    void a_profile_is_short_says_what_it_is_for_and_is_valid(String name) {
        assertThat(Profiles.purpose(name)).hasSizeBetween(40, 160);
        assertThat(Profiles.text(name).orElseThrow().lines()).hasSizeLessThan(110);
        assertThat(load(name).rules()).isNotEmpty();
    }

    @ParameterizedTest
    @MethodSource("names")
    void credentials_are_denied_in_every_profile(String name) {
        var policy = load(name);

        for (var path :
                List.of(
                        "~/.ssh/id_rsa",
                        "~/.aws/credentials",
                        "~/.netrc",
                        "~/.config/gh/hosts.yml",
                        "./.env",
                        "./sub/.env",
                        "~/.mozilla/firefox/x/logins.json",
                        "~/.bash_history",
                        "/etc/shadow",
                        "~/.git-credentials",
                        "~/.config/git/credentials",
                        "~/.npmrc",
                        "~/.local/share/uv/credentials/credentials.toml",
                        "~/.docker/config.json",
                        "~/.kube/config",
                        "~/.gnupg/private-keys-v1.d/x")) {
            assertThat(decide(wide(name), "read:" + path))
                    .as(path)
                    .isInstanceOf(Decision.Deny.class);
        }
        for (var variable :
                List.of(
                        "GITHUB_TOKEN",
                        "AWS_SECRET_ACCESS_KEY",
                        "ANTHROPIC_API_KEY",
                        "OPENAI_API_KEY",
                        "NPM_TOKEN",
                        "SSH_AUTH_SOCK",
                        "LD_PRELOAD")) {
            assertThat(decide(policy, "env:" + variable))
                    .as(variable)
                    .isInstanceOf(Decision.Deny.class);
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void what_the_host_runs_later_is_protected_in_every_profile(String name) {
        var policy = wide(name);

        for (var path :
                List.of(
                        "./.git/hooks/pre-commit",
                        "./.git/config",
                        "./sub/.git/config",
                        "./.hg/hgrc",
                        "./sub/.hg/sharedpath",
                        "./.jj/repo/config.toml",
                        "./_darcs/prefs/defaults",
                        "./.vscode/tasks.json",
                        "./.mcp.json",
                        "./opencode.json",
                        "./.kiro/settings/mcp.json",
                        "./.helix/languages.toml",
                        "./.githooks/pre-commit",
                        "./.claude/settings.json",
                        "./.codex/config.toml",
                        "~/.bashrc",
                        "~/.ssh/authorized_keys",
                        "./writ.yaml",
                        "~/.claude/settings.json",
                        "~/.codex/config.toml",
                        "~/.gemini/settings.json",
                        "~/.config/systemd/user/x.service",
                        "./.envrc",
                        "./AGENTS.md",
                        "./.git/modules/a/b/hooks/x")) {
            assertThat(decide(policy, "write:" + path)).as(path).isInstanceOf(Decision.Deny.class);
        }
    }

    /// Folders that installers put into the `PATH` of the operator.
    @ParameterizedTest
    @MethodSource("names")
    void no_profile_writes_what_the_operator_starts_by_name(String name) {
        var policy = load(name);

        for (var path :
                List.of(
                        "~/.local/bin/ls",
                        "~/bin/ls",
                        "~/.local/share/pnpm/ls",
                        "~/.local/share/pnpm/bin/ls",
                        "~/.npm-global/bin/ls",
                        "~/.yarn/bin/ls",
                        "~/.volta/bin/ls",
                        "~/.nvm/versions/node/v24.0.0/bin/ls",
                        "~/.cargo/bin/ls",
                        "~/.cargo/env",
                        "~/.rustup/toolchains/stable/bin/ls",
                        "~/go/bin/ls",
                        "~/.pyenv/shims/ls",
                        "~/.sdkman/candidates/java/current/bin/ls")) {
            assertThat(decide(policy, "write:" + path)).as(path).isInstanceOf(Decision.Deny.class);
        }
    }

    /// By name they are found in the operator's `PATH`, and that leads to the rest.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "~/.asdf/installs/ruby/3.4.1/bin/ruby",
                "~/.cargo/bin/cargo",
                "~/.local/share/mise/installs/node/24/bin/node",
                "~/.local/share/pipx/venvs/tox/bin/python",
                "~/.local/share/pypoetry/venv/bin/python",
                "~/.local/share/uv/tools/ruff/bin/ruff",
                "~/.nvm/versions/node/v24.0.0/bin/node",
                "~/.pyenv/versions/3.13.0/bin/python3",
                "~/.rbenv/versions/3.4.1/bin/ruby",
                "~/.rustup/toolchains/stable/bin/cargo",
                "~/.sdkman/candidates/java/current/bin/java",
                "~/.volta/tools/image/node/24.0.0/bin/node"
            })
    void what_tool_managers_have_installed_starts_and_is_not_written(String program) {
        var policy = load("workspace");

        assertThat(decide(policy, "exec:" + program)).isInstanceOf(Decision.Allow.class);
        assertThat(decide(policy, "read:" + program)).isInstanceOf(Decision.Allow.class);
        assertThat(decide(policy, "write:" + program)).isInstanceOf(Decision.Deny.class);
    }

    @ParameterizedTest
    @MethodSource("names")
    void no_profile_opens_the_network_beyond_its_own_service(String name) {
        var policy = load(name);

        for (var target :
                List.of(
                        "example.com:443",
                        "127.0.0.1:80",
                        "169.254.169.254:80",
                        "localhost:8080",
                        "github.com:22",
                        "GET=https://evil.example/")) {
            assertThat(decide(policy, "net:" + target))
                    .as(target)
                    .isInstanceOf(Decision.Deny.class);
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void programs_can_start_under_every_profile(String name) {
        var policy = load(name);

        for (var action :
                List.of(
                        "read:/usr/lib/x.so",
                        "read:/etc/ld.so.cache",
                        "read:/etc/passwd",
                        "env:PATH",
                        "env:LC_ALL",
                        "device:/dev/null",
                        "device:/dev/tty",
                        "device:/dev/ptmx",
                        "device:/dev/pts/ptmx",
                        "read:/proc/self/maps")) {
            assertThat(decide(policy, action)).as(action).isInstanceOf(Decision.Allow.class);
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void other_processes_stay_out_of_reach_in_every_profile(String name) {
        var policy = load(name);

        for (var action :
                List.of(
                        "read:/proc/1/environ",
                        "read:/proc/1/cmdline",
                        "read:/dev/shm/org.example.shared",
                        "write:/dev/shm/org.example.shared",
                        "unix:/run/docker.sock",
                        "unix:/run/dbus/system_bus_socket",
                        "unix:/var/run/postgresql/.s.PGSQL.5432",
                        "unix:/tmp/tmux-0/default",
                        "device:/dev/pts/0",
                        "device:/dev/tty1",
                        "device:/dev/console",
                        "listen:0.0.0.0:8080")) {
            assertThat(decide(policy, action)).as(action).isInstanceOf(Decision.Deny.class);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "workspace",
                "git",
                "python",
                "node",
                "java",
                "go",
                "rust",
                "postgres",
                "chromium",
                "claude-code"
            })
    void git_can_read_its_configuration_where_it_is_meant_to_work(String name) {
        var policy = load(name);

        for (var path : List.of("/etc/gitconfig", "~/.gitconfig", "~/.config/git/config")) {
            assertThat(decide(policy, "read:" + path)).as(path).isInstanceOf(Decision.Allow.class);
            assertThat(decide(wide(name), "write:" + path))
                    .as(path)
                    .isInstanceOf(Decision.Deny.class);
        }
    }

    /// The profile and the widest grant there is: only guards are left to deny a path.
    private static Policy wide(String name) {
        return new PolicyLoader(SCOPE, List.of())
                .profile(name, Source.of("test"))
                .rule(Effect.ALLOW, "write:/", FilePath.ROOT)
                .load();
    }

    private static Policy load(String name) {
        return new PolicyLoader(SCOPE, List.of()).profile(name, Source.of("test")).load();
    }

    private static Decision decide(Policy policy, String action) {
        return policy.decide(Action.parse(action, SCOPE));
    }
}
