// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.files;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// What a search has found so far, and how much more of it there may be.
final class Hits<T> {
    private static final int MOST_VISITED = 200_000;
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(60);

    private final int most;
    private final List<T> hits = new ArrayList<>();
    private long end = System.nanoTime() + LONGEST;
    private String cut = "";
    private int visited;
    private long refused;

    Hits(int most) {
        this.most = most;
    }

    /// For what may take as long as it takes.
    static <T> Hits<T> untimed() {
        var hits = new Hits<T>(Integer.MAX_VALUE);
        hits.end += Long.MAX_VALUE / 4;
        return hits;
    }

    void add(T hit) {
        if (hits.size() == most) {
            cut("there are more than " + most);
        } else {
            hits.add(hit);
        }
    }

    /// From now on nothing more is looked for.
    void cut(String why) {
        cut = cut.isEmpty() ? why : cut;
    }

    void refuse() {
        refused++;
    }

    /// Takes note of something that is looked at; whether to go on.
    boolean visit() {
        if (++visited > MOST_VISITED) {
            cut("more than " + MOST_VISITED + " files and folders");
        }
        return isInTime();
    }

    /// Whether to go on.
    boolean isInTime() {
        if (System.nanoTime() - end > 0) {
            cut("it took more than " + TimeUnit.NANOSECONDS.toSeconds(LONGEST) + " seconds");
        }
        return cut.isEmpty();
    }

    /// Does something that may wait for the operator, whose time does not count.
    <R> R patiently(Supplier<R> work) {
        long began = System.nanoTime();
        try {
            return work.get();
        } finally {
            end += System.nanoTime() - began;
        }
    }

    Found<T> found() {
        return new Found<>(hits, cut, refused);
    }
}
