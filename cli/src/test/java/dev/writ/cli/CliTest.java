// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.runtime.policy.Profiles;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CliTest {
    @TempDir Path folder;
    @TempDir Path state;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private String input = "";

    @BeforeEach
    void writePolicy() throws IOException {
        folder = folder.toRealPath();
        policy(
                "writ.yaml",
                "version: 1\nextends: [shell-tools]\nallow:\n  - write:.\n  - net:GET=https://api.github.com/repos/**\nask:\n  - exec:git push\ndeny:\n  - exec:curl\n");
    }

    @Test
    void explain_names_the_rule_its_place_and_the_narrowest_change() {
        assertThat(writ("explain", "read:~/.ssh/id_rsa")).isZero();

        assertThat(output())
                .isEqualTo(
                        """
                        deny  read:~/.ssh/id_rsa
                              guarded by `read:~/.ssh` (built-in/guards.yaml:%d:5), and no rule names this exact path
                              to change that: add `read:~/.ssh/id_rsa` to `allow`
                        """
                                .formatted(guardLine("read:~/.ssh")));
    }

    @Test
    void explain_gives_one_json_line_per_action() {
        writ(
                "explain",
                "--json",
                "exec:/usr/bin/git push origin",
                "exec:/usr/bin/curl x",
                "net:POST=https://api.github.com/repos/a");

        assertThat(output().lines())
                .containsExactly(
                        "{\"action\": \"exec:/usr/bin/git push origin\", \"decision\": \"ask\", \"rule\": \"exec:git push\", \"source\": \"writ.yaml:7:5\", \"reason\": \"the operator is asked, by `exec:git push` (writ.yaml:7:5)\", \"suggestion\": \"move that rule from `ask` to `allow` to stop being asked\"}",
                        "{\"action\": \"exec:/usr/bin/curl x\", \"decision\": \"deny\", \"rule\": \"exec:curl\", \"source\": \"writ.yaml:9:5\", \"reason\": \"denied by `exec:curl` (writ.yaml:9:5)\", \"suggestion\": \"remove or narrow that rule; a deny cannot be overruled\"}",
                        "{\"action\": \"net:POST=https://api.github.com/repos/a\", \"decision\": \"deny\", \"rule\": null, \"source\": null, \"reason\": \"no rule allows it; nearest is `net:GET=https://api.github.com/repos/**` (writ.yaml:5:5), whose method does not fit\", \"suggestion\": \"add `net:POST=https://api.github.com/repos/a` to `allow`\"}");
    }

    @Test
    void explain_finds_a_program_by_its_name() {
        writ("explain", "exec:sh -c x", "exec:no-such-program-here");

        assertThat(output()).contains("allow exec:sh -c x", "needs the path of the program");
    }

    @Test
    void explain_reads_actions_from_standard_input() {
        input = "read:./a\n\nread:/root/x\n";

        assertThat(writ("explain", "--json", "-")).isZero();
        assertThat(output().lines().map(l -> l.contains("\"allow\""))).containsExactly(true, false);
    }

    @Test
    void an_action_without_one_clear_meaning_is_denied_and_a_text_of_no_kind_is_an_error() {
        assertThat(
                        writ(
                                "explain",
                                "--no-policy",
                                "--allow",
                                "net:GET=https://h.com/v1/**",
                                "net:GET=https://h.com/v1/../x"))
                .isZero();
        assertThat(output()).startsWith("deny ");
        assertThat(writ("explain", "raed:/x", "read:./a")).isEqualTo(125);
        assertThat(output()).contains("did you mean `read`?").contains("allow read:./a");
        assertThat(errors()).isEqualTo("writ: one text is no action of any known kind\n");
    }

    @Test
    void explain_resolves_links_before_it_answers() throws IOException {
        Files.createSymbolicLink(folder.resolve("innocent"), Path.of("/etc/shadow"));

        writ("explain", "read:./innocent");

        assertThat(output()).startsWith("deny ").contains("/etc/shadow");
    }

    @Test
    void nothing_in_an_action_reaches_the_terminal_raw() {
        writ("explain", "tool:a\u001b[31m", "tool:a\u202eb", "tool:a\u200bb");

        assertThat(output())
                .doesNotContain("\u001b")
                .doesNotContain("\u202e")
                .doesNotContain("\u200b")
                .contains("\\u{1b}", "\\u{202e}", "\\u{200b}");
    }

    @Test
    void init_writes_what_holds_anyway_and_never_twice() throws IOException {
        Files.delete(folder.resolve("writ.yaml"));
        Files.createFile(folder.resolve("pom.xml"));

        assertThat(writ("init")).isZero();
        assertThat(output())
                .startsWith("wrote writ.yaml:\nversion: 1\n")
                .contains("extends: [workspace, java]")
                .contains("write:~/.m2/repository");
        assertThat(writ("check")).isZero();
        Files.writeString(folder.resolve("writ.yaml"), "version: 1\n");
        assertThat(writ("init")).isEqualTo(125);
        assertThat(errors()).isEqualTo("writ: there is a policy already: `writ.yaml`; edit it\n");
        assertThat(folder.resolve("writ.yaml")).hasContent("version: 1\n");
    }

    @Test
    void init_follows_no_link() throws IOException {
        Files.delete(folder.resolve("writ.yaml"));
        Files.createSymbolicLink(folder.resolve("writ.yaml"), folder.resolve("elsewhere"));

        assertThat(writ("init")).isEqualTo(125);
        assertThat(folder.resolve("elsewhere")).doesNotExist();
    }

    @Test
    void no_policy_means_nothing_but_the_flags_and_the_guards() {
        writ(
                "explain",
                "--json",
                "--no-policy",
                "--allow",
                "read:/a",
                "--deny=read:/a/b",
                "read:/a/x",
                "read:/a/b",
                "env:PATH");

        assertThat(output().lines().map(l -> l.replaceAll(".*\"decision\": \"(\\w+)\".*", "$1")))
                .containsExactly("allow", "deny", "deny");
    }

    @Test
    void the_nearest_policy_upwards_is_used() throws IOException {
        String above = folder.toString();
        folder = Files.createDirectories(folder.resolve("a/b"));

        writ("explain", "write:../x");

        assertThat(output()).contains("allow write:../x", above + "/writ.yaml:4:5");
    }

    @Test
    void check_reports_everything_that_is_wrong_at_once() throws IOException {
        policy("bad.yaml", "version: 1\nalow: []\ndeny: [reed:/x]\n");

        assertThat(writ("check", "bad.yaml")).isEqualTo(125);
        assertThat(errors().lines())
                .containsExactly(
                        "writ: bad.yaml:2:1: unknown key `alow`; did you mean `allow`?",
                        "writ: bad.yaml:3:8: unknown kind `reed`; did you mean `read`?");
        assertThat(output()).isEmpty();
        assertThat(writ("explain", "--policy", "bad.yaml", "read:/x")).isEqualTo(125);
        assertThat(errors().lines())
                .last()
                .asString()
                .isEqualTo(
                        "writ: bad.yaml:2:1: unknown key `alow`; did you mean `allow`? (and 1 more: `writ check` lists them)");
    }

    @Test
    void check_gives_the_digest_of_the_canonical_form() throws Exception {
        writ("check", "--json");
        var digest = output().replaceAll("(?s).*sha256:([0-9a-f]{64}).*", "$1");
        out.reset();
        writ("check", "--canonical");

        var sha = java.security.MessageDigest.getInstance("SHA-256").digest(out.toByteArray());
        assertThat(java.util.HexFormat.of().formatHex(sha)).isEqualTo(digest);
    }

    @Test
    void check_warns_of_what_is_probably_not_meant() throws IOException {
        policy(
                "odd.yaml",
                "version: 1\nallow:\n  - read:/a/b\n  - net:GTE=https://x.com\ndeny:\n  - read:/a\n");

        assertThat(writ("check", "odd.yaml", "--strict")).isEqualTo(1);
        assertThat(output())
                .contains(
                        "odd.yaml:3:5: `read:/a/b` has no effect: all of it is denied",
                        "odd.yaml:4:5: `net:GTE=https://x.com` names a method that is in no register: GTE");
    }

    @Test
    void diff_shows_each_widening_with_a_witness_and_says_if_there_is_none() throws IOException {
        policy("a.yaml", "version: 1\nallow: [read:./src, net:GET=https://x.com/a]\n");
        policy("b.yaml", "version: 1\nallow: ['read:./src/**', net:GET=https://x.com/*]\n");

        assertThat(writ("diff", "a.yaml", "b.yaml")).isEqualTo(1);
        assertThat(output())
                .contains(
                        "b.yaml grants more than a.yaml:",
                        "`net:GET=https://x.com/*` (b.yaml:2:26)",
                        "for example net:GET=https://x.com/x");
        assertThat(writ("diff", "b.yaml", "a.yaml")).isZero();
        assertThat(output()).contains("nothing is widened");
    }

    @Test
    void diff_compares_versions_of_a_policy_wherever_they_lie(@TempDir Path elsewhere)
            throws IOException {
        Files.copy(folder.resolve("writ.yaml"), elsewhere.resolve("old.yaml"));

        assertThat(writ("diff", elsewhere.resolve("old.yaml").toString(), "writ.yaml")).isZero();
        assertThat(writ("diff", "--json", "base", "git")).isEqualTo(1);
    }

    @Test
    void run_passes_on_exit_codes_and_denies_before_anything_starts() {
        assertThat(writ("run", "--", "sh", "-c", "exit 7")).isEqualTo(7);
        assertThat(writ("run", "--", "no-such-command-here")).isEqualTo(127);
        assertThat(writ("run", "--deny", "exec:sh", "--", "sh", "-c", "touch started"))
                .isEqualTo(126);
        assertThat(errors().lines())
                .last()
                .asString()
                .startsWith("writ: denied: `sh -c touch started`: denied by `exec:sh` (--deny)");
        assertThat(folder.resolve("started")).doesNotExist();
        assertThat(writ("run", "--ask", "exec:sh", "--", "sh", "-c", "true"))
                .as("nobody is there to ask")
                .isEqualTo(126);
    }

    @Test
    void run_says_which_limit_was_reached_by_which_rule_and_what_to_do() throws IOException {
        policy(
                "writ.yaml",
                "version: 1\nextends: [shell-tools]\nallow: [write:.]\nlimits: {time: 300ms}\n");

        assertThat(writ("run", "--json", "events", "--", "sh", "-c", "sleep 30 & sleep 30"))
                .isEqualTo(124);
        assertThat(errors())
                .isEqualTo(
                        "writ: limit reached: time of 300ms, by `limit:time=300ms` (writ.yaml:4:16):"
                                + " everything was ended; to change that: `limits: {time: 600ms}`\n");
        assertThat(Files.readAllLines(folder.resolve("events")))
                .anyMatch(
                        line ->
                                line.endsWith(
                                        "\"event\": \"limit\", \"limit\": \"limit:time=300ms\","
                                                + " \"source\": \"writ.yaml:4:16\","
                                                + " \"ended\": true, \"times\": 1}"));
    }

    /// An address that can be read in two ways, or none at all, leads nowhere.
    @Test
    void where_a_name_leads_is_a_name_and_a_plain_address() {
        for (var wrong :
                List.of("db.test", "db.test=", "=127.0.0.1", "db.test=127.1", "1.2.3.4=::1")) {
            assertThat(writ("run", "--resolve", wrong, "--", "true")).isEqualTo(125);
            assertThat(errors()).contains("--resolve");
        }
    }

    @Test
    void a_limit_can_be_given_as_a_flag_and_the_plan_shows_it_with_the_defaults() {
        assertThat(writ("plan", "--limit", "time=2m", "--limit", "procs=9")).isZero();

        assertThat(output().lines().filter(l -> l.startsWith("limit ")))
                .satisfiesExactly(
                        memory ->
                                assertThat(memory)
                                        .matches("limit      memory=\\d+[mgt] \\(default\\): .*"),
                        time -> assertThat(time).startsWith("limit      time=2m (--limit): by a"),
                        procs ->
                                assertThat(procs)
                                        .startsWith("limit      procs=9 (--limit): at each birth")
                                        .contains("at most 136 "));
    }

    @ParameterizedTest
    @MethodSource("misuses")
    void misuse_is_one_line_and_exit_code_125(List<String> arguments) {
        assertThat(writ(arguments.toArray(String[]::new))).isEqualTo(125);
        assertThat(errors().lines()).singleElement().asString().startsWith("writ: ");
        assertThat(output()).isEmpty();
    }

    static Stream<List<String>> misuses() {
        return Stream.of(
                List.of("explian"),
                List.of("explain"),
                List.of("explain", "--jsn", "read:/x"),
                List.of("explain", "--policy"),
                List.of("explain", "--json=1", "read:/x"),
                List.of("explain", "--policy", "gone.yaml", "read:/x"),
                List.of("explain", "--policy", "x", "--no-policy", "read:/x"),
                List.of("explain", "--allow", "nonsense", "read:/x"),
                List.of("explain", "--profile", "pyton", "read:/x"),
                List.of("plan", "--limit", "memori=2g"),
                List.of("plan", "--limit", "memory"),
                List.of("explain", "read:/x", "--", "y"),
                List.of("run", "ls"),
                List.of("run", "--"),
                List.of("run", "--cwd", "/nowhere", "--", "ls"),
                List.of("diff", "writ.yaml"),
                List.of("profiles", "show", "nothing"),
                List.of("check", "a", "b"),
                List.of("completions", "tcsh"));
    }

    @ParameterizedTest
    @MethodSource("verbNames")
    void every_help_page_fits_a_screen_and_begins_with_an_example(String verb) {
        writ("help", verb);

        assertThat(output().lines()).hasSizeLessThanOrEqualTo(24).allMatch(l -> l.length() <= 80);
        assertThat(output()).startsWith("  ").contains("writ " + verb);
    }

    @Test
    void what_is_there_but_no_program_is_not_missing() throws IOException {
        var other = Files.createDirectory(folder.resolve("other"));
        Files.writeString(other.resolve("plain"), "no program");

        assertThat(writ("run", "--cwd", "other", "--", "./plain")).isEqualTo(126);
        assertThat(errors()).contains("writ: not a program: `./plain`");
        assertThat(writ("run", "--cwd", "other", "--", "./other/plain")).isEqualTo(127);
    }

    /// As a shell has it: what the kernel cannot start is 126, what lacks its interpreter 127.
    @Test
    void what_the_kernel_takes_for_no_program_is_said_to_be_none() throws IOException {
        assertThat(program("fits", "#!/bin/sh\nexit 7\n")).isEqualTo(7);
        assertThat(program("script", "echo x\n")).isEqualTo(126);
        assertThat(errors()).contains("not a program: ").contains("`#!/bin/sh`");
        assertThat(program("empty", "")).isEqualTo(126);
        assertThat(program("astray", "#!/no/such/interpreter\n")).isEqualTo(127);
        assertThat(errors()).contains("interpreter").doesNotContain("could not be made");
    }

    private int program(String name, String text) throws IOException {
        var file = Files.writeString(folder.resolve(name), text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        return writ("run", "--allow", "exec:./*", "--", "./" + name);
    }

    @Test
    void what_a_run_writes_does_not_go_through_a_link_of_an_earlier_one() throws IOException {
        var victim = Files.writeString(state.resolve("victim"), "precious");
        Files.createSymbolicLink(folder.resolve("out"), victim);
        for (var flag : List.of("--json", "--attest")) {
            assertThat(writ("run", flag, "out", "--", "true")).isEqualTo(125);
            assertThat(errors()).contains("is a link that a command could have made");
            assertThat(victim).hasContent("precious");
        }
        Files.writeString(
                folder.resolve("writ.yaml"),
                "version: 1\nallow: [write:., 'net:GET=https://example.com/**']\n");
        assertThat(writ("proxy", "--ca", "out")).isEqualTo(125);
        assertThat(victim).hasContent("precious");
    }

    static List<String> verbNames() {
        return Cli.verbs().stream().map(Verb::name).toList();
    }

    @Test
    void the_overview_fits_a_screen_and_names_every_verb() {
        writ();

        assertThat(output().lines()).hasSizeLessThanOrEqualTo(24).allMatch(l -> l.length() <= 80);
        assertThat(verbNames()).allMatch(output()::contains);
    }

    /// The probe reads its own flags; the page that describes them must not drift away.
    @Test
    void the_probe_knows_every_flag_that_its_page_shows() {
        for (var option : new ProbeVerb().manual().options()) {
            var value = option.takesValue() ? "1" : "--json";
            assertThat(writ("probe", "--" + option.name(), value, "no-such-case")).isEqualTo(125);
        }

        assertThat(errors()).doesNotContain("unknown flag").contains("no-such-case");
        assertThat(writ("probe", "--nonsense")).isEqualTo(125);
        assertThat(errors()).contains("unknown flag");
    }

    @Test
    void profiles_are_listed_and_shown() {
        writ("profiles");
        assertThat(output().lines()).hasSize(15).allMatch(l -> l.length() < 130);
        writ("profiles", "show", "python");
        assertThat(output()).contains("extends: [shell-tools]");
        assertThat(writ("profiles", "show", "guards")).isZero();
    }

    private static int guardLine(String guard) {
        return Profiles.text(Profiles.GUARDS).orElseThrow().lines().toList().indexOf("  - " + guard)
                + 1;
    }

    private int writ(String... arguments) {
        var variables =
                Map.of(
                        "HOME",
                        "/home/op",
                        "WRIT_HOME",
                        state.toString(),
                        "PATH",
                        "/usr/local/bin:/usr/bin:/bin",
                        "LD_PRELOAD",
                        "x");
        var world =
                new World(
                        folder,
                        variables,
                        new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        false,
                        List.of("writ"));
        return new Cli(world).run(List.of(arguments));
    }

    private String output() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String errors() {
        return err.toString(StandardCharsets.UTF_8);
    }

    private void policy(String name, String text) throws IOException {
        Files.writeString(folder.resolve(name), text);
    }
}
