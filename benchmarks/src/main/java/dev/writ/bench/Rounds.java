// SPDX-License-Identifier: Apache-2.0
package dev.writ.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// Compares ways of doing the same thing. They take turns, each round in another order, so that
/// whatever else the machine does meets all of them alike.
final class Rounds {
    /// Something to be measured; gives how long it took, in any unit.
    interface Way {
        double once() throws Exception;
    }

    private record Entry(String name, Way way, double[] taken) {}

    private final String what;
    private final String unit;
    private final int count;
    private final List<Entry> entries = new ArrayList<>();

    Rounds(String what, String unit, int count) {
        this.what = what;
        this.unit = unit;
        this.count = count;
    }

    /// Adds a way; the first one is what the others are compared with.
    Rounds add(String name, Way way) {
        entries.add(new Entry(name, way, new double[count]));
        return this;
    }

    static void header() {
        System.out.printf("%-22s %-34s %12s %12s %9s%n", "what", "how", "median", "min", "ratio");
    }

    /// Measures, and prints one line for each way. The ratio is the median of the ratios of the
    /// rounds.
    void print(int warmUp) throws Exception {
        for (int i = 0; i < warmUp; i++) {
            for (var entry : entries) {
                entry.way.once();
            }
        }
        for (int round = 0; round < count; round++) {
            for (int i = 0; i < entries.size(); i++) {
                var entry = entries.get((i + round) % entries.size());
                entry.taken[round] = entry.way.once();
            }
        }
        double[] first = entries.getFirst().taken;
        for (var entry : entries) {
            double[] ratios = new double[count];
            Arrays.setAll(ratios, i -> entry.taken[i] / first[i]);
            System.out.printf(
                    Locale.ROOT,
                    "%-22s %-34s %9.2f %s %9.2f %s %8.2fx%n",
                    what,
                    entry.name,
                    median(entry.taken),
                    unit,
                    Arrays.stream(entry.taken).min().orElseThrow(),
                    unit,
                    median(ratios));
        }
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int n = sorted.length;
        return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
    }

    /// A way that is timed from outside, in milliseconds.
    static Way timed(Way way) {
        return () -> {
            long start = System.nanoTime();
            way.once();
            return (System.nanoTime() - start) / 1e6;
        };
    }
}
