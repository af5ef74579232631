// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance;

import dev.writ.conformance.corpus.Corpus;
import dev.writ.conformance.corpus.CorpusException;
import dev.writ.conformance.corpus.Selection;
import dev.writ.conformance.launch.Launcher;
import dev.writ.conformance.launch.LauncherException;
import dev.writ.conformance.report.HtmlPage;
import dev.writ.conformance.report.JsonLines;
import dev.writ.conformance.report.JunitXml;
import dev.writ.conformance.report.Progress;
import dev.writ.conformance.report.Table;
import dev.writ.conformance.run.Listener;
import dev.writ.conformance.run.Report;
import dev.writ.conformance.run.Runner;
import dev.writ.conformance.stage.Account;
import dev.writ.conformance.stage.HostTools;
import dev.writ.conformance.stage.StageException;
import dev.writ.conformance.stage.Workshop;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// `writ probe`: the containment corpus against a backend, or against any other sandbox.
public final class Probe {
    private static final int GOOD = 0;
    private static final int BAD = 1;
    private static final int NOT_STARTED = 125;

    private final Options options;
    private final List<String> writ;
    private final Map<String, String> variables;
    private final PrintStream out;
    private final PrintStream err;
    private final boolean terminal;

    private Probe(
            Options options,
            List<String> writ,
            Map<String, String> variables,
            PrintStream out,
            PrintStream err,
            boolean terminal) {
        this.options = options;
        this.writ = List.copyOf(writ);
        this.variables = Map.copyOf(variables);
        this.out = out;
        this.err = err;
        this.terminal = terminal;
    }

    /// Runs it and gives the exit code: 0 if nothing escaped, nothing failed and the controls held;
    /// 1 if not; 125 if it could not start.
    ///
    /// @param arguments what follows `writ probe`
    /// @param writCommand how to run Writ itself, as words
    /// @param variables the operator's environment; hardly any of it reaches a probe
    /// @param terminal whether a person watches, so that colors and a progress line make sense
    public static int run(
            List<String> arguments,
            List<String> writCommand,
            Map<String, String> variables,
            PrintStream out,
            PrintStream err,
            boolean terminal) {
        try {
            return new Probe(Options.read(arguments), writCommand, variables, out, err, terminal)
                    .run();
        } catch (Options.UsageException
                | CorpusException
                | LauncherException
                | StageException
                | IOException e) {
            err.println("writ: " + e.getMessage());
            return NOT_STARTED;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            err.println("writ: interrupted");
            return NOT_STARTED;
        }
    }

    private int run() throws IOException, InterruptedException {
        Corpus corpus = new Selection(options.words()).of(Corpus.load());
        if (options.isList()) {
            list(corpus);
            return GOOD;
        }
        options.junit().ifPresent(Probe::requireFolder);
        options.html().ifPresent(Probe::requireFolder);
        Report report = probe(corpus);
        write(report);
        return report.isGood() ? GOOD : BAD;
    }

    /// Before the run, not after: it takes minutes.
    private static void requireFolder(Path file) {
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null || !Files.isWritable(folder) || Files.isDirectory(file)) {
            throw new Options.UsageException("cannot write `" + file + "`");
        }
    }

    private void list(Corpus corpus) {
        for (var group : corpus.groups()) {
            for (var test : group.cases()) {
                out.println(test.id() + "\t" + group.letter() + "\t" + test.what());
            }
        }
    }

    private Report probe(Corpus corpus) throws InterruptedException {
        Account account = Account.choose(options.user());
        HostTools tools = HostTools.of(variables, account);
        Launcher launcher = launcher(tools);
        var settings =
                new Runner.Settings(
                        options.jobs(Runner.Settings.DEFAULT.jobs()),
                        options.limit(Runner.Settings.DEFAULT.limit()));
        try (var workshop = Workshop.open(account, tools);
                var progress = new Progress(err, terminal)) {
            Listener listener = progress::judged;
            return new Runner(workshop, launcher, settings, listener).run(corpus);
        }
    }

    private Launcher launcher(HostTools tools) {
        Launcher launcher =
                switch (options.target()) {
                    case Options.Target.Backend(var name) -> Launcher.writ(writ, name);
                    case Options.Target.Line(var text) -> Launcher.parse(text, tools);
                    case Options.Target.Command(var words) ->
                            Launcher.of(String.join(" ", words), words, tools);
                };
        var kernel = launcher.without(options.without());
        return options.hasCommandRules() ? kernel.withCommandRules() : kernel;
    }

    private void write(Report report) throws IOException {
        if (options.isJson()) {
            JsonLines.write(report, out);
        } else {
            new Table(out, terminal).write(report);
        }
        if (options.junit().isPresent()) {
            Files.writeString(options.junit().get(), JunitXml.of(report));
        }
        if (options.html().isPresent()) {
            Files.writeString(options.html().get(), HtmlPage.of(report));
        }
    }
}
