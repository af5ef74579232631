// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.sandbox.SandboxException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// The threads that act for confined processes. None holds a Linux capability, and none is ever
/// confined. To start one takes longer than what it does for a short command, so a few are kept for
/// the next sandbox.
final class Crew {
    private static final int MOST_IDLE = 8;
    private static final long KEPT = TimeUnit.SECONDS.toNanos(10);

    private static final ConcurrentLinkedDeque<Member> IDLE = new ConcurrentLinkedDeque<>();
    private static final AtomicInteger IDLE_COUNT = new AtomicInteger();

    private Crew() {}

    /// What one of them does for one sandbox.
    @FunctionalInterface
    interface Job {
        /// @return whether the thread can go on to other things. If not, or if this throws, it
        /// ends, and with it everything that it traces.
        boolean run(Worker worker);
    }

    /// A thread that waits for its job. Must not be called on a confined thread.
    ///
    /// @throws SandboxException if there can be none that is fit for it
    static Member reserve() {
        var idle = IDLE.pollFirst();
        if (idle != null) {
            IDLE_COUNT.decrementAndGet();
            return idle;
        }
        var member = new Member();
        member.thread.start();
        try {
            member.ready.join();
        } catch (CompletionException e) {
            throw new SandboxException("no thread can be had to act for it: " + e.getMessage(), e);
        }
        return member;
    }

    /// Has one ready. Must not be called on a confined thread.
    static void prepare() {
        reserve().release();
    }

    /// One of them, reserved for whoever has this.
    static final class Member {
        private static final Job NOTHING = _ -> true;

        private final CompletableFuture<Boolean> ready = new CompletableFuture<>();
        private final Thread thread =
                Thread.ofPlatform()
                        .daemon()
                        .name("writ-crew")
                        .inheritInheritableThreadLocals(false)
                        .unstarted(this::run);
        private volatile @Nullable Job job;
        private volatile int number;

        private Member() {}

        /// Its number, for the kernel.
        int number() {
            return number;
        }

        /// Gives it its job. May be called on a confined thread: no more than a store and a
        /// wake-up.
        void give(Job work) {
            job = work;
            LockSupport.unpark(thread);
        }

        /// Lets it go without one.
        void release() {
            give(NOTHING);
        }

        private void run() {
            try (var worker = new Worker(false)) {
                number = worker.kernel.thread();
                ready.complete(true);
                work(worker);
            } catch (RuntimeException | Error e) {
                ready.completeExceptionally(e);
                throw e;
            }
        }

        private void work(Worker worker) {
            for (var next = await(); next != null; next = await()) {
                if (!next.run(worker)) {
                    return;
                }
                worker.forget();
                job = null;
                if (IDLE_COUNT.incrementAndGet() > MOST_IDLE) {
                    IDLE_COUNT.decrementAndGet();
                    return;
                }
                IDLE.addFirst(this);
            }
        }

        /// The next job; null if none has come for long.
        private @Nullable Job await() {
            long end = System.nanoTime() + KEPT;
            while (job == null) {
                long left = end - System.nanoTime();
                // Whoever has taken it from there is about to give it a job.
                if (left <= 0 && IDLE.remove(this)) {
                    IDLE_COUNT.decrementAndGet();
                    return null;
                }
                LockSupport.parkNanos(this, Math.max(left, 1_000_000));
            }
            return job;
        }
    }
}
