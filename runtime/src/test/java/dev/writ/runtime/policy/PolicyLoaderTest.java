// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import dev.writ.core.capability.SecretSource;
import dev.writ.core.policy.Canonical;
import dev.writ.core.policy.Decision;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Isolation;
import dev.writ.core.policy.Lint;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Source;
import dev.writ.runtime.Environment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class PolicyLoaderTest {
    @TempDir Path folder;

    @Test
    void the_example_of_the_documentation_is_read_whole() throws IOException {
        var policy =
                load(
                        """
                        version: 1
                        extends: [python, git]
                        allow:
                          - read:.
                          - write:./src/**
                          - net:GET=https://api.github.com/repos/**
                        ask:
                          - exec:git push
                        deny:
                          - read:**/.env
                        limits: {time: 10m, memory: 2g}
                        secrets:
                          github: {from: env:GITHUB_TOKEN, to: https://api.github.com, as: "Authorization: Bearer {}"}
                        isolation: auto
                        """);

        assertThat(policy.rules().getFirst().source()).isEqualTo(new Source("writ.yaml", 4, 5));
        assertThat(decide(policy, "write:src/a.c")).isInstanceOf(Decision.Allow.class);
        assertThat(decide(policy, "read:./.env")).isInstanceOf(Decision.Denied.class);
        assertThat(decide(policy, "secret:github@https://api.github.com"))
                .isInstanceOf(Decision.Allow.class);
        assertThat(decide(policy, "limit:time=11m")).isInstanceOf(Decision.OverLimit.class);
        assertThat(policy.secrets())
                .singleElement()
                .satisfies(
                        s ->
                                assertThat(s.from())
                                        .isEqualTo(new SecretSource.Variable("GITHUB_TOKEN")));
    }

    @Test
    void the_digest_does_not_depend_on_formatting_order_or_place(@TempDir Path elsewhere)
            throws IOException {
        var one = load("version: 1\nallow:\n  - read:.\n  - write:./src/**\ndeny: [read:./x]\n");
        folder = elsewhere;
        var other =
                load(
                        "# a comment\n{deny: ['read:x'], allow: [\"write:src/\", read:./.], version: 1}\n");

        assertThat(Canonical.digest(other)).isEqualTo(Canonical.digest(one)).hasSize(64);
        assertThat(Canonical.digest(load("version: 1\nallow: [read:.]\n")))
                .isNotEqualTo(Canonical.digest(one));
    }

    @Test
    void the_digest_does_not_depend_on_the_name_of_the_file_or_the_place_of_our_state()
            throws IOException {
        var text = "version: 1\nallow: [read:.]\n";
        var one = loader().file(Files.writeString(folder.resolve("a.yaml"), text), "a").load();
        var other =
                new PolicyLoader(scope(), List.of(FilePath.of("/elsewhere")))
                        .file(Files.writeString(folder.resolve("b.yaml"), text), "b")
                        .load();

        assertThat(Canonical.digest(other)).isEqualTo(Canonical.digest(one));
    }

    @Test
    void every_problem_is_reported_with_its_place_and_what_was_meant() throws IOException {
        assertThat(
                        problems(
                                "version: 2\nallwo: [read:.]\nallow:\n  - raed:.\n  - read: .\n  - \"write:a/{b}\"\nlimits: {memry: 1g, time: 10}\nisolation: proces\n"))
                .containsExactly(
                        "writ.yaml:1:10: the only version is 1; write `version: 1`",
                        "writ.yaml:2:1: unknown key `allwo`; did you mean `allow`?",
                        "writ.yaml:4:5: unknown kind `raed`; did you mean `read`?",
                        "writ.yaml:5:5: a rule is one text; write it without a space after the colon: `read:...`",
                        "writ.yaml:6:14: `{` is not a wildcard here; only `*` and `**` are; write `\\{` for the character itself",
                        "writ.yaml:7:10: unknown key `memry`; did you mean `memory`?",
                        "writ.yaml:7:27: not an amount: `10`; write it like `30s`",
                        "writ.yaml:8:12: unknown backend `proces`; did you mean `process`?");
    }

    @Test
    void yaml_that_has_surprised_people_is_refused() throws IOException {
        assertThat(problems("allow: &a [read:.]\ndeny: *a\n"))
                .singleElement()
                .asString()
                .contains("anchors are refused");
        assertThat(problems("allow: !!set {read:.}\n"))
                .singleElement()
                .asString()
                .contains("tags are refused");
        assertThat(problems("allow: [read:.]\nallow: [read:/]\n"))
                .singleElement()
                .asString()
                .contains("`allow` is given twice");
        assertThat(problems("allow: [read:.]\n---\nallow: [read:/]\n"))
                .singleElement()
                .asString()
                .contains("one document");
        assertThat(problems("allow: [[[[[[[[[[read:.]]]]]]]]]]\n"))
                .singleElement()
                .asString()
                .contains("nested more than");
        assertThat(problems("- read:.\n"))
                .singleElement()
                .asString()
                .contains("a policy is a mapping");
        assertThat(problems("allow: [read:.\n"))
                .singleElement()
                .asString()
                .contains("not valid YAML");
        assertThat(problems("allow:\n\t- read:.\n"))
                .singleElement()
                .asString()
                .contains("not valid YAML");
        assertThat(problems("# " + "x".repeat(1 << 20) + "\n"))
                .singleElement()
                .asString()
                .contains("at most");
        assertThat(problems("? [a, b]\n: c\n"))
                .singleElement()
                .asString()
                .contains("a key must be a plain word");
    }

    @Test
    void empty_means_none() throws IOException {
        for (var text :
                List.of(
                        "",
                        "# nothing\n",
                        "version: 1\n",
                        "version: 1\nallow:\n",
                        "version: 1\nallow: []\n")) {
            assertThat(decide(load(text), "read:./a"))
                    .as(text)
                    .isInstanceOf(Decision.Unmatched.class);
        }
    }

    @Test
    void a_policy_with_an_error_anywhere_is_not_used_at_all() throws IOException {
        Files.writeString(folder.resolve("shared.yaml"), "version: 1\nallow: [nonsense]\n");

        assertThat(problems("version: 1\nextends: [./shared.yaml]\nallow: [read:.]\n"))
                .singleElement()
                .asString()
                .contains("shared.yaml:2:9: missing `:`");
    }

    @Test
    void an_extended_file_counts_from_its_own_folder() throws IOException {
        Files.createDirectories(folder.resolve("common"));
        Files.writeString(
                folder.resolve("common/a.yaml"),
                "version: 1\nallow: [read:./data]\nextends: ../b.yaml\n");
        Files.writeString(
                folder.resolve("b.yaml"),
                "version: 1\nallow: [read:./other]\nisolation: process\n");

        var policy = load("version: 1\nextends: [common/a.yaml]\n");

        assertThat(decide(policy, "read:common/data/x")).isInstanceOf(Decision.Allow.class);
        assertThat(decide(policy, "read:data/x")).isInstanceOf(Decision.Deny.class);
        assertThat(decide(policy, "read:other/x")).isInstanceOf(Decision.Allow.class);
        assertThat(policy.isolation()).isEqualTo(new Isolation.Backend("process"));
    }

    @Test
    void a_circle_of_files_ends() throws IOException {
        Files.writeString(
                folder.resolve("a.yaml"),
                "version: 1\nextends: [writ.yaml, a.yaml]\nallow: [read:./x]\n");

        assertThat(decide(load("version: 1\nextends: [a.yaml]\n"), "read:x"))
                .isInstanceOf(Decision.Allow.class);
    }

    @Test
    void what_cannot_be_extended_is_named() throws IOException {
        assertThat(problems("extends: [pyton, ./gone.yaml]\n"))
                .containsExactly(
                        "writ.yaml:1:11: unknown profile `pyton`; did you mean `python`?",
                        "writ.yaml:1:18: no such policy: `./gone.yaml`; a profile is named without `/` and `.yaml`");
    }

    @Test
    void the_policy_and_writs_own_folders_are_guarded() throws IOException {
        var policy = load("version: 1\nallow: [write:/]\n");

        assertThat(decide(policy, "write:writ.yaml")).isInstanceOf(Decision.Guarded.class);
        assertThat(decide(policy, "write:sub/writ.yaml")).isInstanceOf(Decision.Guarded.class);
        assertThat(decide(policy, "read:~/.local/state/writ/key"))
                .isInstanceOf(Decision.Guarded.class);
        assertThat(decide(policy, "write:ok")).isInstanceOf(Decision.Allow.class);
    }

    /// It would beat the guard, which gives way to what a rule names.
    @Test
    void a_rule_that_names_a_folder_of_writ_is_refused() throws IOException {
        var own = Files.createDirectory(folder.resolve("state"));
        Files.createSymbolicLink(folder.resolve("alias"), own);
        for (var rule :
                List.of(
                        "write:./state",
                        "read:./state/approver",
                        "read:./state/*",
                        "write:./alias",
                        "unix:./alias/api.sock")) {
            var loader =
                    new PolicyLoader(scope(), List.of(FilePath.of(own.toString())))
                            .rule(Effect.ALLOW, rule, FilePath.of(folder.toString()));

            assertThatThrownBy(loader::load).as(rule).hasMessageContaining("lead to Writ itself");
        }
        new PolicyLoader(scope(), List.of(FilePath.of(own.toString())))
                .rule(Effect.ALLOW, "write:.", FilePath.of(folder.toString()))
                .rule(Effect.DENY, "read:./state", FilePath.of(folder.toString()))
                .load();
    }

    @Test
    void a_rule_holds_where_its_link_leads() throws IOException {
        Files.createDirectories(folder.resolve("real/sub"));
        Files.createSymbolicLink(folder.resolve("link"), Path.of("real"));

        var policy = load("version: 1\nallow: [read:./link]\n");

        assertThat(decide(policy, "read:real/sub/x")).isInstanceOf(Decision.Allow.class);
    }

    @Test
    void a_link_that_the_agent_could_have_made_is_not_followed_by_a_grant_but_by_a_deny()
            throws IOException {
        Files.createDirectories(folder.resolve("secret"));
        Files.createDirectories(folder.resolve("work"));
        Files.createSymbolicLink(folder.resolve("work/link"), Path.of("../secret"));

        var granting = load("version: 1\nallow: [write:./work, read:./work/link]\n");
        var denying = load("version: 1\nallow: [write:., read:.]\ndeny: [read:./work/link]\n");

        assertThat(decide(granting, "read:secret/x")).isInstanceOf(Decision.Deny.class);
        assertThat(decide(denying, "read:secret/x")).isInstanceOf(Decision.Denied.class);
    }

    @Test
    void a_link_to_a_guarded_path_does_not_name_it() throws IOException {
        Files.writeString(folder.resolve(".env"), "TOKEN=x");
        Files.createSymbolicLink(folder.resolve("settings"), Path.of(".env"));

        assertThat(decide(load("version: 1\nallow: [read:./settings]\n"), "read:.env"))
                .isInstanceOf(Decision.Guarded.class);
        assertThat(decide(load("version: 1\nallow: [read:./.env]\n"), "read:.env"))
                .isInstanceOf(Decision.Allow.class);
    }

    @Test
    void nor_does_a_stranger_choose_by_a_link_which_of_your_files_it_is() throws IOException {
        var below = Files.createDirectories(folder.resolve("a/b"));
        var own = Files.writeString(folder.resolve("a/own"), "version: 1\nallow: [read:/]\n");
        var link = Files.createSymbolicLink(folder.resolve("writ.yaml"), own);
        assumeTrue(
                (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0,
                "only root can give a link away");
        assertThat(PolicyLoader.find(below)).contains(link);

        Files.setAttribute(link, "unix:uid", 12345, LinkOption.NOFOLLOW_LINKS);

        assertThatThrownBy(() -> PolicyLoader.find(below))
                .isInstanceOf(InvalidPolicyException.class)
                .hasMessageContaining("belongs to somebody else");
    }

    @Test
    @Timeout(20)
    void a_pipe_in_place_of_the_policy_keeps_nobody_waiting() throws Exception {
        var file = folder.resolve("writ.yaml");
        assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor()).isZero();
        assertThatThrownBy(() -> PolicyLoader.find(folder))
                .isInstanceOf(InvalidPolicyException.class)
                .hasMessageContaining("is not an ordinary file");
    }

    @Test
    void a_policy_that_a_stranger_left_above_is_not_used_by_itself() throws IOException {
        var below = Files.createDirectories(folder.resolve("a/b"));
        var left = Files.writeString(folder.resolve("writ.yaml"), "version: 1\nallow: [read:/]\n");
        assumeTrue(
                (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0,
                "only root can give a file away");
        assertThat(PolicyLoader.find(below)).contains(left);

        Files.setAttribute(left, "unix:uid", 12345);

        assertThatThrownBy(() -> PolicyLoader.find(below))
                .isInstanceOf(InvalidPolicyException.class)
                .hasMessageContaining("belongs to somebody else");
        Files.setAttribute(below, "unix:uid", 12345);
        assertThat(PolicyLoader.find(below))
                .as("working in their folder is a choice")
                .contains(left);
    }

    @Test
    void a_flag_counts_from_the_working_directory() {
        var policy = loader().rule(Effect.ALLOW, "read:./x", path("sub")).load();

        assertThat(decide(policy, "read:sub/x")).isInstanceOf(Decision.Allow.class);
        assertThat(decide(policy, "read:x")).isInstanceOf(Decision.Deny.class);
    }

    @Test
    void a_limit_cannot_be_denied_or_asked_for() throws IOException {
        assertThat(problems("deny: [limit:memory=1g]\n"))
                .singleElement()
                .asString()
                .contains("cannot be asked for or denied");
    }

    @Test
    void a_secret_needs_a_source_a_destination_and_a_place() throws IOException {
        assertThat(
                        problems(
                                "secrets:\n  a: {from: env:X}\n  b: {from: nowhere, to: https://x.com}\n  c: {from: env:X, to: ftp://x}\n  d: {from: env:X, to: https://x.com, as: none}\n"))
                .satisfiesExactly(
                        a ->
                                assertThat(a)
                                        .startsWith(
                                                "writ.yaml:2:3: the secret `a` needs `from` and `to`"),
                        b -> assertThat(b).startsWith("writ.yaml:3:13: unknown place for a secret"),
                        c -> assertThat(c).startsWith("writ.yaml:4:24: unknown scheme `ftp`"),
                        d ->
                                assertThat(d)
                                        .startsWith(
                                                "writ.yaml:5:43: `as` must say once where the value goes"));
    }

    @Test
    void a_secret_has_one_of_four_forms() throws IOException {
        for (var form :
                List.of(
                        "X-Key: {}",
                        "basic user:{}",
                        "basic {}:",
                        "?key={}",
                        "body client_secret={}")) {
            var policy =
                    load("secrets:\n  a: {from: env:X, to: https://x.com, as: \"" + form + "\"}\n");
            assertThat(policy.secrets().getFirst().as().text()).isEqualToIgnoringCase(form);
            assertThat(policy.secrets().getFirst().variable()).hasValue("X");
        }
        for (var form :
                List.of(
                        "X-Key {}",
                        "{}: x",
                        "basic {}",
                        "basic a b:{}",
                        "?{}",
                        "?key=a{}",
                        "body {}",
                        "Host: {}",
                        "Content-Length: {}",
                        "X-Key: {}{}",
                        "X-K\u00e9y: {}",
                        "X-Key: \u00e9{}")) {
            assertThat(
                            problems(
                                    "secrets:\n  a: {from: env:X, to: https://x.com, as: \""
                                            + form
                                            + "\"}\n"))
                    .as(form)
                    .singleElement()
                    .satisfies(p -> assertThat(p).startsWith("writ.yaml:2:"));
        }
    }

    @Test
    void a_secret_has_one_of_four_sources() throws IOException {
        for (var from :
                List.of(
                        "env:X_1",
                        "file:./token",
                        "file:~/token",
                        "command:pass show x",
                        "keyring:x.y")) {
            var policy =
                    load("secrets: {a: {from: '" + from + "', to: 'https://x.com', env: TOKEN}}\n");
            assertThat(policy.secrets().getFirst().from().text(policy.scope())).isEqualTo(from);
            assertThat(policy.secrets().getFirst().variable()).hasValue("TOKEN");
        }
        for (var from :
                List.of(
                        "env:",
                        "env:A-B",
                        "env:1A",
                        "file:",
                        "file:*.txt",
                        "command: ",
                        "command:./get",
                        "command:bin/get x",
                        "keyring:a b",
                        "vault:x",
                        "X")) {
            assertThat(problems("secrets: {a: {from: '" + from + "', to: 'https://x.com'}}\n"))
                    .as(from)
                    .hasSize(1);
        }
        assertThat(problems("secrets: {a: {from: env:X, to: https://x.com, env: A-B}}\n"))
                .hasSize(1);
    }

    @Test
    void a_file_that_holds_a_secret_is_for_nobody_else() throws IOException {
        Files.writeString(folder.resolve("token"), "x");
        Files.createSymbolicLink(folder.resolve("link"), Path.of("token"));
        var policy =
                load(
                        "allow: [write:., read:./token, read:./link]\nsecrets: {a: {from: file:./link, to: https://x.com}}\n");
        assertThat(decide(policy, "read:link")).isInstanceOf(Decision.Denied.class);
        assertThat(decide(policy, "read:token")).isInstanceOf(Decision.Denied.class);
        assertThat(decide(policy, "write:token")).isInstanceOf(Decision.Denied.class);
        assertThat(decide(policy, "read:other")).isInstanceOf(Decision.Allow.class);

        var running =
                load(
                        "allow: [write:.]\nsecrets: {a: {from: 'command:"
                                + folder
                                + "/get x', to: https://x.com}}\n");
        assertThat(decide(running, "write:get")).isInstanceOf(Decision.Denied.class);
        assertThat(decide(running, "write:x")).isInstanceOf(Decision.Allow.class);
    }

    @Test
    void a_secret_that_is_of_no_use_or_unsafe_is_warned_of() throws IOException {
        var warnings =
                Lint.warnings(
                        load(
                                """
                                allow: [net:GET=https://good.com/x, net:http://plain.com]
                                secrets:
                                  a: {from: env:X, to: https://good.com}
                                  b: {from: env:X, to: https://nowhere.com}
                                  c: {from: env:X, to: http://plain.com}
                                  d: {from: env:X, to: https://good.com:8443}
                                """));
        assertThat(warnings)
                .containsExactly(
                        "writ.yaml:4:3: the secret `b` can never be used: no `net` rule leads to its destination",
                        "writ.yaml:5:3: the secret `c` is sent without encryption: its destination is `http://`",
                        "writ.yaml:6:3: the secret `d` can never be used: no `net` rule leads to its destination");
    }

    @Test
    void the_variable_that_holds_a_secret_is_never_seen() throws IOException {
        var policy = load("allow: ['env:*']\nsecrets: {a: {from: env:TOKEN, to: https://x.com}}\n");
        assertThat(Environment.of(policy, Map.of("TOKEN", "12345678", "OTHER", "x")))
                .containsKey("OTHER")
                .doesNotContainKey("TOKEN");
    }

    private Policy load(String text) throws IOException {
        var file = Files.writeString(folder.resolve("writ.yaml"), text);
        return loader().file(file, "writ.yaml").load();
    }

    private List<String> problems(String text) throws IOException {
        var file = Files.writeString(folder.resolve("writ.yaml"), text);
        var thrown =
                catchThrowableOfType(
                        InvalidPolicyException.class,
                        () -> loader().file(file, "writ.yaml").load());
        return thrown == null
                ? List.of()
                : thrown.problems().stream().map(Problem::toString).toList();
    }

    private PolicyLoader loader() {
        return new PolicyLoader(scope(), List.of(FilePath.of("/home/op/.local/state/writ")));
    }

    private Scope scope() {
        return new Scope(path(""), FilePath.of("/home/op"), List.of(FilePath.of("/usr/bin")));
    }

    private FilePath path(String name) {
        return FilePath.of(folder.toString()).resolve(name);
    }

    private Decision decide(Policy policy, String action) {
        return policy.decide(Action.parse(action, scope()));
    }
}
