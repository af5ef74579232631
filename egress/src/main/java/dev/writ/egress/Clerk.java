// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.broker.Broker;
import dev.writ.core.broker.Request;
import dev.writ.core.broker.Verdict;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Takes what a session wants judged or written down to the broker, on one thread. Whatever came
/// while it waited for the disk goes there together: to wake a thread for each, and to wait for
/// each, takes longer than all the rest of a request. So nobody wakes it for what went out, which
/// goes with the next verdict or a little later.
///
/// It is a real thread, because a virtual one cannot wait for the disk without another in its
/// place.
final class Clerk implements AutoCloseable {
    private static final long LONGEST_CLOSE = 5;

    /// What went out is handed to the log so soon. It has it on the disk within 50 ms of that.
    private static final long SOON = TimeUnit.MILLISECONDS.toNanos(10);

    private final Broker broker;
    private final ThreadPoolExecutor thread =
            new ThreadPoolExecutor(
                    1,
                    1,
                    5,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(),
                    Thread.ofPlatform().daemon().name("writ-egress-clerk").factory());

    // All guarded by this.
    private Desk desk = new Desk();
    private boolean working;
    private boolean lingering; // for more to come
    private boolean waking; // somebody sees to it that it works
    private boolean closing;

    /// What came since it was last looked at.
    private static final class Desk {
        private final List<Judging> judging = new ArrayList<>();
        private final List<Runnable> writing = new ArrayList<>();
        private final List<AuditEvent.Egress> sent = new ArrayList<>();

        boolean canWait() {
            return judging.isEmpty() && writing.isEmpty();
        }

        boolean isEmpty() {
            return canWait() && sent.isEmpty();
        }
    }

    private record Judging(Request request, Consumer<Optional<Verdict>> then) {}

    Clerk(Broker broker) {
        this.broker = broker;
        thread.allowCoreThreadTimeOut(true);
    }

    /// Has `request` judged, together with all else that `loop` has at hand.
    ///
    /// @param then hears the verdict; nothing, if a person has to be asked. It must not wait, nor
    /// throw
    /// @throws RejectedExecutionException if the session is over
    void judge(Request request, EventLoop loop, Consumer<Optional<Verdict>> then) {
        if (thread.isShutdown()) {
            throw new RejectedExecutionException("the session is over");
        }
        boolean first;
        synchronized (this) {
            desk.judging.add(new Judging(request, then));
            first = isIdle() && !waking;
            waking |= first;
        }
        if (first && loop.inEventLoop()) {
            loop.execute(this::wake);
        } else if (first) {
            wake();
        }
    }

    /// Does `writing`, which nobody waits for.
    void record(Runnable writing) {
        synchronized (this) {
            desk.writing.add(writing);
        }
        wake();
    }

    /// Writes down what went out.
    void record(AuditEvent.Egress event) {
        synchronized (this) {
            desk.sent.add(event);
            if (working && !closing) {
                return;
            }
        }
        wake();
    }

    private boolean isIdle() {
        return !working || lingering;
    }

    private void wake() {
        synchronized (this) {
            waking = false;
            notifyAll();
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
        for (var some = take(); some != null; some = take()) {
            some.writing.forEach(Clerk::write);
            judge(some.judging, some.sent);
        }
    }

    /// What is to be done next; null if there is nothing, also after a while.
    private synchronized @Nullable Desk take() {
        long until = System.nanoTime() + SOON;
        lingering = true;
        while (desk.canWait() && !closing) {
            long left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
            if (left <= 0) {
                break;
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                break; // Nobody has a reason to, so it is the end.
            }
        }
        lingering = false;
        if (desk.isEmpty()) {
            working = false;
            return null;
        }
        var some = desk;
        desk = new Desk();
        return some;
    }

    private static void write(Runnable writing) {
        try {
            writing.run();
        } catch (RuntimeException | Error e) {
            // It had its effect already, and whoever wants something next is told.
        }
    }

    private void judge(List<Judging> some, List<AuditEvent.Egress> sent) {
        var requests = new ArrayList<Request>(some.size());
        some.forEach(judging -> requests.add(judging.request()));
        var verdicts = broker.judgeNow(requests, sent);
        for (int i = 0; i < some.size(); i++) {
            some.get(i).then().accept(verdicts.get(i));
        }
    }

    /// Waits for what is being written down.
    @Override
    public void close() {
        synchronized (this) {
            closing = true;
            notifyAll();
        }
        thread.shutdown();
        try {
            thread.awaitTermination(LONGEST_CLOSE, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
