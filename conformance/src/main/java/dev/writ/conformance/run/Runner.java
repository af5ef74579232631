// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.run;

import static java.util.Comparator.comparing;
import static java.util.Objects.requireNonNull;

import dev.writ.conformance.corpus.Case;
import dev.writ.conformance.corpus.Corpus;
import dev.writ.conformance.corpus.Group;
import dev.writ.conformance.corpus.Kind;
import dev.writ.conformance.corpus.Language;
import dev.writ.conformance.corpus.Need;
import dev.writ.conformance.launch.Launcher;
import dev.writ.conformance.stage.HostTools;
import dev.writ.conformance.stage.Workshop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/// Runs cases through a launcher, several at a time.
public final class Runner {
    private final Workshop workshop;
    private final Launcher launcher;
    private final Settings settings;
    private final Attempt attempt;
    private final Listener listener;
    private final AtomicInteger done = new AtomicInteger();

    /// @param limit how long one run of a probe may take
    public record Settings(int jobs, Duration limit) {
        public static final Settings DEFAULT =
                new Settings(Runtime.getRuntime().availableProcessors(), Duration.ofSeconds(20));
    }

    public Runner(Workshop workshop, Launcher launcher, Settings settings, Listener listener) {
        this.workshop = workshop;
        this.launcher = launcher;
        this.settings = settings;
        this.attempt = new Attempt(workshop, settings.limit());
        this.listener = listener;
    }

    public Report run(Corpus corpus) throws InterruptedException {
        long start = System.nanoTime();
        var threads = Thread.ofPlatform().name("probe-", 1).factory();
        try (ExecutorService jobs = Executors.newFixedThreadPool(settings.jobs(), threads)) {
            var controls = new Controls(attempt, launcher, workshop.tools());
            List<String> broken = controls.check(corpus, jobs);
            List<Result> results = all(corpus, controls, jobs);
            return new Report(
                    launcher.title(),
                    workshop.account().name(),
                    System.getProperty("os.name")
                            + " "
                            + System.getProperty("os.version")
                            + " "
                            + System.getProperty("os.arch"),
                    corpus.groups(),
                    results,
                    broken,
                    launcher.mayRefuse(),
                    Duration.ofNanos(System.nanoTime() - start));
        }
    }

    private List<Result> all(Corpus corpus, Controls controls, ExecutorService jobs)
            throws InterruptedException {
        List<Planned> plan =
                corpus.groups().stream()
                        .flatMap(g -> g.cases().stream().map(c -> new Planned(g, c)))
                        .toList();
        var running = new HashMap<Planned, Future<Result>>();
        // Those that wait for a clock go first: the others fill the time around them.
        for (var next : plan.stream().sorted(comparing(Planned::waiting).reversed()).toList()) {
            running.put(next, jobs.submit(() -> judged(next, controls, plan.size())));
        }
        var results = new ArrayList<Result>();
        for (var planned : plan) {
            results.add(await(requireNonNull(running.get(planned))));
        }
        return results;
    }

    private record Planned(Group group, Case test) {
        Duration waiting() {
            return test.kind().isRunnable()
                    ? test.escapedIf().patience(Duration.ZERO)
                    : Duration.ZERO;
        }
    }

    private Result judged(Planned planned, Controls controls, int total) {
        long start = System.nanoTime();
        Result result = controls.confirm(planned.group(), judge(planned.group(), planned.test()));
        Duration time = Duration.ofNanos(System.nanoTime() - start);
        var timed = result.took(time);
        listener.judged(timed, done.incrementAndGet(), total);
        return timed;
    }

    private Result judge(Group group, Case test) {
        var judge = new Judge(test);
        if (!test.kind().isRunnable()
                && !Verbs.isFor(test, launcher)
                && !ProxyRun.isFor(test, launcher)) {
            return judge.result(Verdict.PENDING, "needs a harness for the product", "");
        }
        Optional<String> obstacle = obstacle(test, workshop.tools());
        if (obstacle.isPresent()) {
            return judge.result(Verdict.SKIPPED, obstacle.get(), "");
        }
        if (test.kind() == Kind.CMD && !launcher.hasCommandRules()) {
            return judge.result(Verdict.SKIPPED, "the launcher has no rules about commands", "");
        }
        Outcome control = attempt.play(test, group.rules(), Launcher.NONE);
        return launcher.isNone()
                ? judge.alone(control)
                : judge.judge(control, attempt.play(test, group.rules(), launcher));
    }

    /// Why `test` cannot be tried on this machine.
    static Optional<String> obstacle(Case test, HostTools tools) {
        if (test.needs(Need.X86_64) && !System.getProperty("os.arch").equals("amd64")) {
            return Optional.of("its system call numbers are those of x86_64");
        }
        boolean hostSide = test.needs().stream().anyMatch(Need::isPlayedByPython);
        if (hostSide && tools.find(Language.PYTHON.program()).isEmpty()) {
            return Optional.of("the host side needs python3");
        }
        String program = test.language().program();
        return tools.find(program).isPresent() || test.language() == Language.C
                ? Optional.empty()
                : Optional.of("`" + program + "` is not installed");
    }

    private static Result await(Future<Result> result) throws InterruptedException {
        try {
            return result.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("a case broke the runner", e);
        }
    }
}
