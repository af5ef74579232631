// SPDX-License-Identifier: Apache-2.0
package dev.writ.bench;

import java.util.List;
import java.util.Locale;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/// Runs the measurements and prints the tables of docs/performance.md. The words `process` and
/// `run`, alone or with sections behind them, stand for the comparisons of sandboxes and of the
/// whole command, `log` for the record, `egress` for the way out, `daemon` for the daemon, `token`
/// for capability tokens; other words are regular expressions for the rest.
public final class Main {
    private Main() {}

    public static void main(String[] words) throws Exception {
        if (words.length > 0 && words[0].equals("process")) {
            ProcessBench.run(List.of(words).subList(1, words.length));
        } else if (words.length > 0 && words[0].equals("run")) {
            RunBench.run(List.of(words).subList(1, words.length));
        } else if (words.length > 0 && words[0].equals("egress")) {
            EgressBench.run(List.of(words).subList(1, words.length));
        } else if (words.length > 0 && words[0].equals("daemon")) {
            DaemonBench.run(List.of(words).subList(1, words.length));
        } else if (words.length > 0 && words[0].equals("log")) {
            LogBench.run();
        } else if (words.length > 0 && words[0].equals("token")) {
            TokenBench.run();
        } else {
            measure(words);
            if (words.length == 0) {
                ProcessBench.run(List.of());
                RunBench.run(List.of());
                LogBench.run();
                EgressBench.run(List.of());
                DaemonBench.run(List.of());
                TokenBench.run();
            }
        }
    }

    private static void measure(String[] patterns) throws RunnerException {
        var options =
                new OptionsBuilder()
                        .warmupIterations(4)
                        .warmupTime(TimeValue.seconds(1))
                        .measurementIterations(7)
                        .measurementTime(TimeValue.seconds(1))
                        .forks(2)
                        .shouldFailOnError(true)
                        .addProfiler(GCProfiler.class)
                        .verbosity(VerboseMode.SILENT);
        for (var pattern : patterns.length == 0 ? new String[] {".*"} : patterns) {
            options.include(pattern);
        }
        System.out.printf(
                "%-24s %8s %14s %14s %12s%n", "what", "rules", "median", "min..max", "allocated");
        for (var result : new Runner(options.build()).run()) {
            print(result);
        }
    }

    private static void print(RunResult result) {
        var primary = result.getPrimaryResult();
        var statistics = primary.getStatistics();
        String unit = primary.getScoreUnit().replace("/op", "");
        double bytes = result.getSecondaryResults().get("gc.alloc.rate.norm").getScore();
        System.out.printf(
                Locale.ROOT,
                "%-24s %8s %11.1f %s %6.1f..%-6.1f %10.0f B%n",
                result.getParams().getBenchmark().replaceAll(".*\\.(\\w+)Benchmark\\..*", "$1"),
                result.getParams().getParam("rules"),
                statistics.getPercentile(50),
                unit,
                statistics.getMin(),
                statistics.getMax(),
                bytes);
    }
}
