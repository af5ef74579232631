// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.policy;

import dev.writ.core.capability.Capability;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/// What every policy protects unless a rule names the exact path: for writing, what the operator's
/// machine will run or trust later; for reading, credentials.
public final class Guards {
    /// Files that the host executes, or that tell it what to execute.
    private static final List<String> EXECUTED_LATER =
            List.of(
                    // git runs hooks, and what its configuration names
                    "**/.git/hooks",
                    "**/.git/config",
                    "**/.git/config.worktree",
                    "**/.git/commondir",
                    "**/.git/modules/**/hooks",
                    "**/.git/modules/**/config",
                    "**/.git/worktrees/*/config.worktree",
                    "**/.gitmodules",
                    "~/.gitconfig",
                    "~/.config/git",
                    // shells run these when they start
                    "~/.bashrc",
                    "~/.bash_profile",
                    "~/.bash_login",
                    "~/.bash_logout",
                    "~/.bash_aliases",
                    "~/.profile",
                    "~/.zshrc",
                    "~/.zshenv",
                    "~/.zprofile",
                    "~/.zlogin",
                    "~/.zlogout",
                    "~/.kshrc",
                    "~/.inputrc",
                    "~/.config/fish",
                    "~/.config/environment.d",
                    "~/.pam_environment",
                    "~/.xprofile",
                    "~/.xsession",
                    "~/.xinitrc",
                    // the desktop and the system run these later
                    "~/.config/autostart",
                    "~/.config/systemd",
                    "~/.local/share/systemd",
                    "~/.local/share/applications",
                    "~/.local/share/dbus-1",
                    "~/.local/bin",
                    "~/bin",
                    "/etc",
                    "/var/spool/cron",
                    // editors and agents run what these name
                    "**/.vscode",
                    "**/.idea",
                    "**/.cursor",
                    "**/.zed",
                    "**/.devcontainer",
                    "**/.mcp.json",
                    "**/.claude",
                    "~/.claude.json",
                    "**/.codex",
                    "**/.gemini",
                    "**/.copilot",
                    "**/.agents",
                    "**/.aider.conf.yml",
                    "**/.continue",
                    "**/.windsurf",
                    "**/AGENTS.md",
                    "**/CLAUDE.md",
                    "**/GEMINI.md",
                    "**/.github/workflows",
                    "**/.github/copilot-instructions.md",
                    "~/.vimrc",
                    "~/.vim",
                    "~/.config/nvim",
                    "~/.emacs",
                    "~/.emacs.d",
                    // build tools and environments run what these name
                    "**/.envrc",
                    "**/.cargo/config",
                    "**/.cargo/config.toml",
                    "**/.yarnrc",
                    "**/.yarnrc.yml",
                    "**/.npmrc",
                    "**/.pre-commit-config.yaml",
                    "**/.husky",
                    "~/.config/pip",
                    "~/.m2/settings.xml",
                    "~/.gradle/init.gradle",
                    "~/.gradle/init.d",
                    "~/.ripgreprc",
                    "~/.tmux.conf",
                    // trust
                    "~/.ssh",
                    "~/.gnupg",
                    "~/.docker",
                    "~/.kube",
                    "~/.aws");

    /// Files that hold credentials.
    private static final List<String> CREDENTIALS =
            List.of(
                    "~/.ssh",
                    "~/.gnupg",
                    "~/.aws",
                    "~/.azure",
                    "~/.config/gcloud",
                    "~/.config/gh",
                    "~/.config/glab-cli",
                    "~/.config/hub",
                    "~/.config/op",
                    "~/.config/doctl",
                    "~/.config/heroku",
                    "~/.config/sops",
                    "~/.kube",
                    "~/.docker",
                    "~/.oci",
                    "~/.netrc",
                    "~/.pgpass",
                    "~/.my.cnf",
                    "~/.git-credentials",
                    "~/.config/git/credentials",
                    "~/.npmrc",
                    "~/.yarnrc.yml",
                    "~/.pypirc",
                    "~/.cargo/credentials",
                    "~/.cargo/credentials.toml",
                    "~/.gem/credentials",
                    "~/.m2/settings.xml",
                    "~/.m2/settings-security.xml",
                    "~/.gradle/gradle.properties",
                    "~/.vault-token",
                    "~/.terraform.d",
                    "~/.terraformrc",
                    "~/.password-store",
                    "~/.local/share/keyrings",
                    "~/.local/share/kwalletd",
                    "~/.pki",
                    "~/.mozilla",
                    "~/.config/google-chrome",
                    "~/.config/chromium",
                    "~/.config/BraveSoftware",
                    "~/.config/microsoft-edge",
                    "~/.config/vivaldi",
                    "~/.thunderbird",
                    "~/.bash_history",
                    "~/.zsh_history",
                    "~/.python_history",
                    "~/.node_repl_history",
                    "~/.psql_history",
                    "~/.mysql_history",
                    "~/.lesshst",
                    "~/.local/share/fish",
                    "**/.env",
                    "**/.env.local",
                    "**/.env.*.local",
                    "**/.env.development",
                    "**/.env.production",
                    "**/.env.staging",
                    "**/.env.test",
                    "**/*.env",
                    "**/.netrc",
                    "**/.git-credentials",
                    "/etc/shadow",
                    "/etc/gshadow",
                    "/etc/shadow-",
                    "/etc/gshadow-",
                    "/etc/sudoers",
                    "/etc/sudoers.d",
                    "/etc/ssl/private",
                    "/etc/krb5.keytab");

    private Guards() {}

    /// The built-in guards, and those for Writ's own files.
    ///
    /// @param policies the policy files in use: never to be rewritten by what they govern
    /// @param state Writ's own folders: keys, log, socket
    public static List<Rule> of(
            Scope scope, Collection<FilePath> policies, Collection<FilePath> state) {
        var guards = new ArrayList<Rule>();
        EXECUTED_LATER.forEach(p -> guards.add(guard("write:" + p, scope)));
        CREDENTIALS.forEach(p -> guards.add(guard("read:" + p, scope)));
        guards.add(guard("write:**/writ.yaml", scope));
        policies.forEach(
                p -> guards.add(new Rule(Effect.DENY, Capability.write(p), Source.BUILT_IN)));
        for (var folder : state) {
            guards.add(new Rule(Effect.DENY, Capability.write(folder), Source.BUILT_IN));
            guards.add(new Rule(Effect.DENY, Capability.read(folder), Source.BUILT_IN));
        }
        return guards;
    }

    private static Rule guard(String text, Scope scope) {
        return new Rule(Effect.DENY, Capability.parse(text, scope), Source.BUILT_IN);
    }
}
