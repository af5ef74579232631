// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.broker.Broker;
import dev.writ.core.broker.Request;
import dev.writ.core.broker.Verdict;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// Takes what a session wants judged or written down to the broker, on one thread. Whatever came
/// while it waited for the disk goes there together: to wake a thread for each, and to wait for
/// each, takes longer than all the rest of a request.
///
/// It is a real thread, because a virtual one cannot wait for the disk without another in its
/// place.
final class Clerk implements AutoCloseable {
    private static final long LONGEST_CLOSE = 5;
    private static final int MOST_AT_ONCE = 256;

    private final Broker broker;
    private final ThreadPoolExecutor thread =
            new ThreadPoolExecutor(
                    1,
                    1,
                    5,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(),
                    Thread.ofPlatform().daemon().name("writ-egress-clerk").factory());

    // Both guarded by this.
    private final Queue<Item> waiting = new ArrayDeque<>();
    private boolean working;

    private sealed interface Item {}

    /// @param then hears the verdict; nothing, if a person has to be asked. It must not wait
    private record Judging(Request request, Consumer<Optional<Verdict>> then) implements Item {}

    private record Recording(Runnable writing) implements Item {}

    Clerk(Broker broker) {
        this.broker = broker;
        thread.allowCoreThreadTimeOut(true);
    }

    /// Has `request` judged.
    ///
    /// @param then hears the verdict; nothing, if a person has to be asked. It must not wait, nor
    /// throw
    /// @throws RejectedExecutionException if the session is over
    void judge(Request request, Consumer<Optional<Verdict>> then) {
        if (thread.isShutdown()) {
            throw new RejectedExecutionException("the session is over");
        }
        hand(new Judging(request, then));
    }

    /// Does `writing`, which nobody waits for.
    void record(Runnable writing) {
        hand(new Recording(writing));
    }

    private void hand(Item item) {
        synchronized (this) {
            waiting.add(item);
            if (working) {
                return;
            }
            working = true;
        }
        try {
            thread.execute(this::work);
        } catch (RejectedExecutionException e) {
            // Closed already: what still ends is ended by us, on this thread.
            work();
        }
    }

    private void work() {
        for (var some = take(); !some.isEmpty(); some = take()) {
            var judged = new ArrayList<Judging>(some.size());
            for (var item : some) {
                switch (item) {
                    case Judging judging -> judged.add(judging);
                    case Recording(var writing) -> write(writing);
                }
            }
            judge(judged);
        }
    }

    private synchronized List<Item> take() {
        var some = new ArrayList<Item>();
        while (!waiting.isEmpty() && some.size() < MOST_AT_ONCE) {
            some.add(waiting.remove());
        }
        working = !some.isEmpty();
        return some;
    }

    private static void write(Runnable writing) {
        try {
            writing.run();
        } catch (RuntimeException | Error e) {
            // It had its effect already, and whoever wants something next is told.
        }
    }

    private void judge(List<Judging> some) {
        if (some.isEmpty()) {
            return;
        }
        var verdicts = broker.judgeNow(some.stream().map(Judging::request).toList());
        for (int i = 0; i < some.size(); i++) {
            some.get(i).then().accept(verdicts.get(i));
        }
    }

    /// Waits for what is being written down.
    @Override
    public void close() {
        thread.shutdown();
        try {
            thread.awaitTermination(LONGEST_CLOSE, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
