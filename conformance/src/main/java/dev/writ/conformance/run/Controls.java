// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.run;

import dev.writ.conformance.corpus.Case;
import dev.writ.conformance.corpus.Corpus;
import dev.writ.conformance.corpus.Group;
import dev.writ.conformance.corpus.Kind;
import dev.writ.conformance.corpus.Language;
import dev.writ.conformance.launch.Launcher;
import dev.writ.conformance.stage.HostTools;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

/// The negative controls: under the policy of each group, in each language that its cases are
/// written in, an allowed read and an allowed write must work.
final class Controls {
    /// @param leadsOut whether the cases use what the rules let out
    private record Key(String group, boolean leadsOut, Language language) {
        static Key of(Group group, Case test) {
            return new Key(
                    group.letter(),
                    test.kind() == Kind.PROXY && group.rules().leadOut(),
                    test.language());
        }
    }

    private final Attempt attempt;
    private final Launcher launcher;
    private final HostTools tools;
    private final List<Case> cases = Corpus.controls();
    private final Map<Key, String> broken = new LinkedHashMap<>();

    Controls(Attempt attempt, Launcher launcher, HostTools tools) {
        this.attempt = attempt;
        this.launcher = launcher;
        this.tools = tools;
    }

    /// Tries them, and gives those that do not work.
    List<String> check(Corpus corpus, ExecutorService jobs) throws InterruptedException {
        if (launcher.isNone()) {
            return List.of(); // there the cases are controls themselves
        }
        var outcomes = new LinkedHashMap<Key, Future<Outcome>>();
        for (var group : corpus.groups()) {
            for (var test : group.cases()) {
                if (isTried(test)) {
                    outcomes.computeIfAbsent(
                            Key.of(group, test), key -> jobs.submit(() -> play(group, key)));
                }
            }
        }
        for (var entry : outcomes.entrySet()) {
            note(entry.getKey(), await(entry.getValue()));
        }
        var messages = new ArrayList<String>();
        broken.forEach((k, why) -> messages.add("group " + k.group() + ", " + why));
        return messages;
    }

    /// Takes a block back that was made by a launcher through which nothing gets at all.
    Result confirm(Group group, Result result) {
        String why = broken.get(Key.of(group, result.test()));
        if (why == null || result.verdict() != Verdict.BLOCKED) {
            return result;
        }
        return new Result(
                result.test(),
                Verdict.VOID,
                "allowed things do not work either: " + why,
                result.time(),
                result.output());
    }

    private boolean isTried(Case test) {
        return (test.kind().isRunnable() || ProxyRun.isFor(test, launcher))
                && (test.kind() != Kind.CMD || launcher.hasCommandRules())
                && Runner.obstacle(test, tools).isEmpty();
    }

    private Outcome play(Group group, Key key) {
        return cases.stream()
                .filter(c -> c.language() == key.language())
                .filter(c -> (c.kind() == Kind.PROXY) == key.leadsOut())
                .findFirst()
                .map(control -> attempt.play(control, group.rules(), launcher))
                .orElseGet(() -> new Outcome.Failed("no control in " + key.language(), ""));
    }

    private void note(Key key, Outcome outcome) {
        switch (outcome) {
            case Outcome.Escaped _ -> {} // "escaped" is what an allowed thing should do
            case Outcome.Skipped _ -> {} // no compiler: its cases are skipped as well
            case Outcome.Held(var why, _) ->
                    broken.put(key, "control in " + spell(key) + ": " + why);
            case Outcome.Hung(var why, _) ->
                    broken.put(key, "control in " + spell(key) + ": " + why);
            case Outcome.Failed(var why, _) ->
                    broken.put(key, "control in " + spell(key) + ": " + why);
        }
    }

    private static String spell(Key key) {
        return key.language() == Language.C ? "C" : key.language().program();
    }

    private static Outcome await(Future<Outcome> outcome) throws InterruptedException {
        try {
            return outcome.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("a control broke the runner", e);
        }
    }
}
