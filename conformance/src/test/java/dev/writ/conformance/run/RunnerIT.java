// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.writ.conformance.corpus.Corpus;
import dev.writ.conformance.corpus.Selection;
import dev.writ.conformance.launch.Launcher;
import dev.writ.conformance.stage.Account;
import dev.writ.conformance.stage.HostTools;
import dev.writ.conformance.stage.Marks;
import dev.writ.conformance.stage.Workshop;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

final class RunnerIT {
    private static final Account ACCOUNT = Account.choose("");
    private static final HostTools TOOLS = HostTools.of(Map.of(), ACCOUNT);
    private static final Launcher LEAKY = Launcher.parse("env --", TOOLS);

    @BeforeAll
    static void programs() {
        for (String program : List.of("sh", "python3", "setsid")) {
            assumeTrue(TOOLS.find(program).isPresent(), program + " is not installed");
        }
    }

    @Test
    void an_oracle_without_an_answer_is_an_error() throws InterruptedException {
        var corpus =
                corpus("canary-nice(19)", "typed(\"{nonce}\")", "attribute(\"{ws}/nothing\", cc)");

        var report = run(corpus, LEAKY, Duration.ofSeconds(10)).report();

        assertThat(report.results()).extracting(Result::verdict).containsOnly(Verdict.ERROR);
        assertThat(report.isGood()).isFalse();
    }

    /// No verdict is not a block: the script of an adapter case must come to one.
    @Test
    void a_script_that_fails_or_whose_control_does_not_hold_is_an_error() throws Exception {
        for (var script :
                List.of(
                        "raise SystemExit(1)",
                        "from ada import *; good(False, 1)",
                        "from ada import *; audit_forge(b'')")) {
            var corpus = adapterCase(script);

            var report = run(corpus, Launcher.writ(List.of("false"), ""), Duration.ofSeconds(20));

            assertThat(report.report().results())
                    .extracting(Result::verdict)
                    .containsExactly(Verdict.ERROR);
        }
    }

    private static Corpus adapterCase(String script) {
        var yaml =
                """
                group: L
                title: t
                policy: p
                cases:
                  - {id: case, what: w, why: w, expected: e, blocks: b, reference: r, kind: adapter,
                     language: python, escaped-if: says(ALLOWED), script: "SCRIPT"}
                """;
        return new Corpus(List.of(Corpus.group("test", yaml.replace("SCRIPT", script))));
    }

    @Test
    void a_launcher_that_hangs_is_ended() throws InterruptedException {
        var hanging = Launcher.parse("sh -c 'setsid sleep 1000 & sleep 1000' x", TOOLS);

        var run = run(corpus("output(secret)"), hanging, Duration.ofSeconds(1));

        assertThat(run.report().results())
                .extracting(Result::verdict)
                .containsExactly(Verdict.ERROR);
        assertThat(run.report().time()).isLessThan(Duration.ofSeconds(15));
        assertNothingLeft(run);
    }

    /// The pipe that Java gives a process ends with it, whoever else still writes: with that one
    /// the answer was a matter of luck.
    @Test
    void output_that_a_child_holds_open_keeps_the_run_going() throws InterruptedException {
        var oracles = Collections.nCopies(4, "elapsed(2)").toArray(String[]::new);

        var report = run(corpusOf("(sleep 9 &); echo x", oracles), LEAKY, Duration.ofSeconds(10));

        assertThat(report.report().results())
                .extracting(Result::verdict)
                .containsOnly(Verdict.ESCAPE);
    }

    /// What the first start leaves in the workspace the second one finds.
    @Test
    void a_case_in_two_steps_is_started_twice_on_one_stage() throws InterruptedException {
        var script = "if [ $STEP = 1 ]; then echo 1 > left; else cat left \"$OUT/canary.txt\"; fi";
        var corpus = corpusOf("twice", script, new String[] {"output(secret)", "output(\"1\")"});

        var report = run(corpus, LEAKY, Duration.ofSeconds(10)).report();

        assertThat(report.results()).extracting(Result::verdict).containsOnly(Verdict.ESCAPE);
    }

    @Test
    void nothing_is_left_of_probes_that_try_to_stay() throws InterruptedException, IOException {
        var cases =
                select(
                        "res-daemon-outlives",
                        "res-deep-tree",
                        "fs-shared-tmp",
                        "fs-shared-devshm",
                        "ipc-sysv-shm",
                        "ipc-posix-shm");

        var run = run(cases, LEAKY, Duration.ofSeconds(10));

        assertThat(run.report().results()).extracting(Result::verdict).containsOnly(Verdict.ESCAPE);
        assertNothingLeft(run);
        for (String shared : List.of("/tmp", "/dev/shm")) {
            try (var files = Files.list(Path.of(shared))) {
                assertThat(files.map(f -> f.getFileName().toString()))
                        .noneMatch(n -> n.startsWith("cc-"));
            }
        }
    }

    @Test
    void runs_side_by_side_agree() throws Exception {
        var first = CompletableFuture.supplyAsync(RunnerIT::sideBySide);
        var second = CompletableFuture.supplyAsync(RunnerIT::sideBySide);

        assertThat(first.get()).isEqualTo(second.get()).hasSizeGreaterThan(60);
    }

    private static Map<String, Verdict> sideBySide() {
        try {
            var report = run(select("D", "F", "A"), LEAKY, Duration.ofSeconds(30)).report();
            return report.results().stream()
                    .collect(Collectors.toMap(r -> r.test().id(), Result::verdict));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private record Run(Report report, Path folder, String mark) {}

    private static Run run(Corpus corpus, Launcher launcher, Duration limit)
            throws InterruptedException {
        try (var workshop = Workshop.open(ACCOUNT, TOOLS)) {
            var settings = new Runner.Settings(2, limit);
            var report = new Runner(workshop, launcher, settings, (_, _, _) -> {}).run(corpus);
            return new Run(report, workshop.folder(), workshop.mark());
        }
    }

    private static void assertNothingLeft(Run run) {
        assertThat(run.folder()).doesNotExist();
        assertThat(Marks.find(run.mark())).isEmpty();
    }

    private static Corpus select(String... words) {
        return new Selection(List.of(words)).of(Corpus.load());
    }

    /// A group with a harmless case for each oracle.
    private static Corpus corpus(String... oracles) {
        return corpusOf("true", oracles);
    }

    private static Corpus corpusOf(String script, String... oracles) {
        return corpusOf("probe", script, oracles);
    }

    private static Corpus corpusOf(String kind, String script, String[] oracles) {
        var yaml = new StringBuilder("group: A\ntitle: t\npolicy: p\ncases:\n");
        for (int i = 0; i < oracles.length; i++) {
            yaml.append(
                    """
                      - {id: case-%d, what: w, why: w, expected: e, blocks: b, reference: r,
                         kind: %s, language: sh, escaped-if: '%s', script: '%s'}
                    """
                            .formatted(i, kind, oracles[i], script));
        }
        return new Corpus(List.of(Corpus.group("test", yaml.toString())));
    }
}
