// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.run;

import dev.writ.conformance.corpus.Case;
import dev.writ.conformance.corpus.Group;
import dev.writ.conformance.corpus.Kind;
import dev.writ.conformance.corpus.Need;
import dev.writ.conformance.launch.Launcher;
import dev.writ.conformance.oracle.FileState;
import dev.writ.conformance.stage.MissingToolException;
import dev.writ.conformance.stage.Stage;
import dev.writ.conformance.stage.StagedProbe;
import dev.writ.conformance.stage.Workshop;
import dev.writ.trust.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Plays a case once, on a fresh stage, through one launcher.
record Attempt(Workshop workshop, Duration limit) {
    private static final Pattern SKIP = Pattern.compile("^SKIP\\b(.*)$", Pattern.MULTILINE);

    Outcome play(Case test, Group.Rules rules, Launcher launcher) {
        try (var stage = Stage.set(workshop, test, rules)) {
            if (test.kind() == Kind.ADAPTER) {
                try (var verbs =
                        Verbs.open(test.group(), stage.layout(), workshop.account(), launcher)) {
                    launcher.product(workshop.helper("naive.py"))
                            .ifPresent(p -> stage.tell(Map.of("PRODUCT", Json.write(p))));
                    return verbs.confirm(judge(stage, run(stage, Launcher.NONE)));
                }
            }
            if (test.kind() == Kind.PROXY) {
                try (var run = ProxyRun.open(stage, workshop.account(), launcher)) {
                    return judge(
                            stage,
                            new Observation(stage, stage.probe(1), run.run(limit), Map.of()));
                }
            }
            return judge(stage, run(stage, launcher));
        } catch (MissingToolException e) {
            return new Outcome.Skipped(message(e), "");
        } catch (IOException | RuntimeException e) {
            return new Outcome.Failed(message(e), "");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Outcome.Failed("interrupted", "");
        }
    }

    private Observation run(Stage stage, Launcher launcher)
            throws IOException, InterruptedException {
        Map<Path, FileState> before = new HashMap<>();
        for (String file : stage.test().escapedIf().watched()) {
            Path path = Path.of(stage.fill(file));
            before.put(path, FileState.of(path));
        }
        Duration patience = stage.test().escapedIf().patience(limit);
        var words =
                launcher.fill(stage.layout(), workshop.account(), workshop.helper("degrade.py"));
        StagedProbe probe = stage.probe(1);
        Launch launch = Launch.start(stage, probe, words, patience);
        if (stage.test().kind() == Kind.TWICE) {
            probe = stage.probe(2);
            launch = Launch.start(stage, probe, words, patience);
        }
        return new Observation(stage, probe, launch, before);
    }

    /// An oracle that has no answer is a failure of ours, whatever the probe did.
    private Outcome judge(Stage stage, Observation seen) throws InterruptedException {
        String output = shown(stage, seen);
        try {
            if (stage.test().escapedIf().holds(seen)) {
                return new Outcome.Escaped(finding(stage.test(), output), output);
            }
        } catch (IOException | RuntimeException e) {
            return new Outcome.Failed("the oracle has no answer: " + message(e), output);
        }
        if (seen.launch().timedOut()) {
            var after = "still there after " + seen.elapsed().toSeconds() + " s";
            return new Outcome.Hung(after, output);
        }
        return skipReason(seen.output())
                .<Outcome>map(reason -> new Outcome.Skipped(reason, output))
                .orElseGet(() -> new Outcome.Held(firstLine(output), output));
    }

    /// What the oracle found; the script of an adapter case says more itself.
    private static String finding(Case test, String output) {
        return test.kind() == Kind.ADAPTER
                ? firstLine(output.substring(Math.max(0, output.indexOf("ALLOWED"))))
                : test.escapedIf().finding();
    }

    private static Optional<String> skipReason(String output) {
        Matcher matcher = SKIP.matcher(output);
        return matcher.find()
                ? Optional.of("the probe says: " + matcher.group(1).strip())
                : Optional.empty();
    }

    /// What a report may show: the folders by their names, and of output that may be the operator's
    /// own only the lines with a canary in them.
    private static String shown(Stage stage, Observation seen) {
        String output = seen.output();
        if (stage.test().needs(Need.PRIVATE_OUTPUT)) {
            var secrets = stage.secrets().values().values();
            output =
                    output.lines()
                            .filter(l -> l.length() < 1000)
                            .filter(l -> secrets.stream().anyMatch(l::contains))
                            .reduce("", (a, b) -> a + b + "\n");
        }
        output =
                output.length() > Reported.LONGEST ? output.substring(0, Reported.LONGEST) : output;
        return Reported.plain(stage, output);
    }

    private static String firstLine(String output) {
        return output.lines()
                .map(String::strip)
                .filter(l -> !l.isEmpty())
                .findFirst()
                .map(l -> l.length() > 160 ? l.substring(0, 160) : l)
                .orElse("no output");
    }

    private static String message(Exception e) {
        String message = e.getMessage();
        return message == null ? e.getClass().getSimpleName() : message;
    }
}
