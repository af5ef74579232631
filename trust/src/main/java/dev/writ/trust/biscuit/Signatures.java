// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.BooleanSupplier;

/// The signatures of one token, which are most of what it costs. A second thread looks at them from
/// the last one backwards, if it has nothing else to do.
///
/// The caller goes from the first to the last and waits for nobody: what is not known when it gets
/// there it looks at itself. So it is always the first bad one that is told of, and a thread that
/// is late or busy costs nothing.
final class Signatures {
    /// Fewer than these are done before another thread is awake.
    private static final int WORTH_HELP = 3;

    private static final int GOOD = 1;
    private static final int BAD = 2;

    /// Somebody is about to find out.
    private static final int TAKEN = 3;

    /// One thread for all tokens, and none waits for it: who finds it busy goes without.
    private static final Executor HELPER =
            new ThreadPoolExecutor(
                    0,
                    1,
                    10,
                    TimeUnit.SECONDS,
                    new SynchronousQueue<>(),
                    Thread.ofPlatform().name("writ-token").daemon().factory(),
                    new ThreadPoolExecutor.DiscardPolicy());

    private record One(BooleanSupplier good, String otherwise) {}

    private final List<One> all = new ArrayList<>();

    /// @param good may be asked by two threads at once
    /// @param otherwise what is said if it is not good
    void add(BooleanSupplier good, String otherwise) {
        all.add(new One(good, otherwise));
    }

    /// @throws BiscuitException if one is not good
    void verify() {
        new Run(List.copyOf(all), new AtomicIntegerArray(all.size())).verify();
    }

    /// @param found what is known of each so far
    private record Run(List<One> all, AtomicIntegerArray found) {
        void verify() {
            if (all.size() >= WORTH_HELP) {
                HELPER.execute(this::help);
            }
            for (int i = 0; i < all.size(); i++) {
                if (look(i) == BAD) {
                    found.set(0, BAD); // nobody needs the rest
                    throw new BiscuitException(all.get(i).otherwise());
                }
            }
        }

        /// Until both meet, or nobody needs it: whoever comes next finds this thread idle.
        private void help() {
            try {
                int i = all.size() - 1;
                while (i > 0 && found.get(0) != BAD && found.compareAndSet(i, 0, TAKEN)) {
                    found.set(i, find(i));
                    i--;
                }
            } catch (RuntimeException e) {
                // whose token it is will meet it too
            }
        }

        private int look(int i) {
            found.compareAndSet(i, 0, TAKEN);
            int known = found.get(i);
            return known == TAKEN ? find(i) : known;
        }

        private int find(int i) {
            return all.get(i).good().getAsBoolean() ? GOOD : BAD;
        }
    }
}
