// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.conformance.corpus.Corpus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ProbeIT {
    @BeforeAll
    static void programs() {
        ProbeRun.assumePossible();
    }

    @Test
    void a_leaky_launcher_is_caught() {
        var run =
                ProbeRun.of(
                        "--json",
                        "--launcher",
                        "env --",
                        "fs-read-outside",
                        "fs-leaked-filefd",
                        "net-udp-sendto",
                        "ipc-abstract-dgram",
                        "proc-kill",
                        "sec-env-inherited");

        assertThat(run.verdicts()).hasSize(6).containsOnly("escape");
        assertThat(run.exit()).isEqualTo(1);
    }

    @Test
    void a_launcher_that_blocks_everything_fails_its_control() {
        var run =
                ProbeRun.of("--json", "--launcher", "false", "fs-read-outside", "fs-truncate-path");

        assertThat(run.verdicts()).containsExactly("void", "void");
        assertThat(String.valueOf(run.lines().getLast().get("controls"))).contains("control in sh");
        assertThat(run.exit()).isEqualTo(1);
    }

    @Test
    void a_launcher_that_lets_allowed_things_through_and_stops_the_rest_is_good() {
        // Does what a sandbox would for this one case: the probe finds the forbidden file gone.
        var run =
                ProbeRun.of(
                        "--json",
                        "--launcher",
                        "sh -c 'mv \"$0\" \"$0.away\"; \"$@\"; mv \"$0.away\" \"$0\"' {out}",
                        "fs-read-outside",
                        "fs-dotdot");

        assertThat(run.verdicts()).containsExactly("blocked", "blocked");
        assertThat(run.exit()).isZero();
    }

    @Test
    void a_launcher_without_rules_about_commands_is_not_asked_for_them() {
        var run = ProbeRun.of("--json", "--launcher", "env --", "cmd-find-exec");

        assertThat(run.verdicts()).containsExactly("skipped");
        assertThat(run.exit()).isZero();
    }

    /// A stand-in for Writ: shows the policy it was given and confines nothing.
    @Test
    void a_backend_gets_the_policy_of_the_group_and_the_cases_about_commands() {
        var script = "test $1 = run && test $3 = leaky && cat $5 && shift 6 && exec \"$@\"";
        var writ = List.of("sh", "-c", script, "writ");

        var run = ProbeRun.of(writ, "--json", "--backend", "leaky", "cmd-find-exec", "fs-dotdot");

        assertThat(run.verdicts()).containsExactly("escape", "escape");
        assertThat(run.lines().getLast().get("launcher")).isEqualTo("writ leaky");
    }

    @Test
    void what_needs_a_harness_is_pending_and_never_passes() {
        var run = ProbeRun.of("--json", "--launcher", "env --", "E", "L", "T", "M", "N");

        assertThat(run.verdicts()).hasSize(cases("ELTMN")).containsOnly("pending");
    }

    /// How many the corpus has in these groups; `CorpusTest` says how many there must be.
    private static int cases(String groups) {
        return Corpus.load().groups().stream()
                .filter(g -> groups.contains(g.letter()))
                .mapToInt(g -> g.cases().size())
                .sum();
    }

    /// The naive log fails every case, ours none: so each block means something.
    @Test
    void the_record_withstands_what_a_naive_log_does_not() {
        var naive = ProbeRun.of("--json", "--launcher", "none", "L");
        var record = ProbeRun.of("--json", "--backend", "process", "L");

        assertThat(naive.verdicts()).as(naive.out()).hasSize(cases("L")).containsOnly("escape");
        assertThat(record.verdicts()).as(record.out()).hasSize(cases("L")).containsOnly("blocked");
        assertThat(record.exit()).isZero();
    }

    /// The naive proxy fails every case, ours none, and allowed requests pass both ways.
    @Test
    void the_way_out_withstands_what_a_naive_proxy_does_not() {
        var naive = ProbeRun.of("--json", "--launcher", "none", "E");
        var proxy = ProbeRun.of("--json", "--backend", "process", "E");

        assertThat(naive.verdicts()).as(naive.out()).hasSize(cases("E")).containsOnly("escape");
        assertThat(proxy.verdicts()).as(proxy.out()).hasSize(cases("E")).containsOnly("blocked");
        assertThat(proxy.exit()).isZero();
    }

    @Test
    void without_a_sandbox_the_run_shows_its_positive_controls() {
        var run = ProbeRun.of("--json", "--launcher", "none", "fs-read-outside");

        assertThat(run.verdicts()).containsExactly("escape");
        assertThat(run.out())
                .startsWith(
                        "{\"id\": \"fs-read-outside\", \"group\": \"A\", \"verdict\": \"escape\", \"what\": ");
        assertThat(run.lines().getLast().get("counts"))
                .isEqualTo(
                        Map.of(
                                "escape", 1, "error", 0, "blocked", 0, "void", 0, "skipped", 0,
                                "pending", 0));
        assertThat(run.exit()).isEqualTo(1);
    }

    @Test
    void reports_are_well_formed_whatever_a_probe_prints(@TempDir Path folder)
            throws IOException, InterruptedException {
        Path xml = folder.resolve("r.xml");
        Path html = folder.resolve("r.html");

        ProbeRun.of(
                "--launcher",
                "sh -c 'printf \"</script>&\\001]]>\\n\"; exec \"$@\"' x",
                "--junit",
                xml.toString(),
                "--html",
                html.toString(),
                "fs-read-outside");

        var parse =
                "import sys,xml.dom.minidom as m;print(len(m.parse(sys.argv[1]).getElementsByTagName('failure')))";
        var python = new ProcessBuilder("python3", "-c", parse, xml.toString()).start();
        assertThat(
                        new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                                .strip())
                .isEqualTo("1");
        assertThat(python.waitFor()).isZero();
        assertThat(Files.readString(html))
                .contains("\\u003c/script>&")
                .doesNotContain("</script>&", "http://", "src=\"");
    }

    @Test
    void wrong_flags_are_told_in_one_line() {
        for (String[] wrong :
                new String[][] {
                    {"--jobs", "0"},
                    {"--launcher"},
                    {"--nonsense"},
                    {"--without", "nothing", "--launcher", "none"},
                    {"--launcher", "@x"},
                    {"zzz"},
                    {"--launcher", "none", "--backend", "b"}
                }) {
            var run = ProbeRun.of(wrong);

            assertThat(run.exit()).isEqualTo(125);
            assertThat(run.err()).startsWith("writ: ").hasLineCount(1);
        }
    }

    @Test
    void a_kernel_can_be_made_to_lack_something() {
        var whole = ProbeRun.of("--launcher", "env --", "--json", "kern-userns-unshare");
        var degraded =
                ProbeRun.of(
                        "--launcher",
                        "env --",
                        "--json",
                        "--without",
                        "userns",
                        "kern-userns-unshare");

        assertThat(whole.verdicts()).containsExactly("escape");
        assertThat(degraded.verdicts()).containsExactly("blocked");
    }

    @Test
    void where_the_kernel_lacks_something_a_refusal_is_right_and_an_escape_is_not() {
        var refusing =
                ProbeRun.of(
                        "--launcher",
                        "false",
                        "--json",
                        "--without",
                        "landlock,notify",
                        "fs-read-outside");
        var leaking =
                ProbeRun.of(
                        "--launcher",
                        "env --",
                        "--json",
                        "--without",
                        "landlock",
                        "fs-read-outside");

        assertThat(refusing.exit()).isZero();
        assertThat(leaking.exit()).isEqualTo(1);
        assertThat(ProbeRun.of("--launcher", "false", "--json", "fs-read-outside").exit())
                .isEqualTo(1);
    }
}
