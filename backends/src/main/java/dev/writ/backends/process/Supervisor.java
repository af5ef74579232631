// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Limit.Resource;
import dev.writ.kernel.Errno;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.Notifications;
import dev.writ.kernel.Notifications.Notification;
import dev.writ.kernel.Notifications.Received;
import dev.writ.kernel.Processors.Some;
import java.util.List;
import java.util.Optional;

/// Answers the calls that confined processes wait in. Whatever goes wrong on the way to an answer,
/// the answer is a refusal.
///
/// One thread answers what can be answered at once, in the order in which it comes. What has to
/// wait gets a thread of its own, so that nobody holds up the others.
final class Supervisor {
    private final Judge judge;
    private final Tree tree;
    private final Usage usage;
    private final Segments segments;
    private final NetlinkSockets netlink = new NetlinkSockets();
    private final Optional<WayOut> wayOut;
    private final List<FilePath> startable;
    private final Patience patience;

    /// @param startable below which the kernel starts programs
    Supervisor(
            Judge judge,
            Tree tree,
            Usage usage,
            Optional<WayOut> wayOut,
            List<FilePath> startable) {
        this.judge = judge;
        this.tree = tree;
        this.usage = usage;
        this.wayOut = wayOut;
        this.startable = startable;
        this.patience = new Patience(usage.account.waiting);
        this.segments = new Segments(usage.bounds.most(Resource.MEMORY));
    }

    /// Starts to answer what comes to `listener`, on a thread that is not confined, and closes it
    /// in the end.
    ///
    /// @param processors where that thread may run; whoever calls this may keep to one of them
    void start(Some processors, int listener) {
        Crew.reserve()
                .give(
                        worker -> {
                            worker.processors.use(0, processors);
                            return run(worker, listener);
                        });
    }

    private boolean run(Worker worker, int listener) {
        try {
            worker.notifications.listenTo(listener);
            serve(worker, listener);
            return true;
        } finally {
            segments.release(worker);
            netlink.close(worker);
            // Whatever ended it, who still calls is told that there is no such call.
            worker.files.close(listener);
        }
    }

    private void serve(Worker worker, int listener) {
        var calls = calls(worker);
        worker.notifications.preferSameProcessor();
        while (true) {
            var received = worker.notifications.receive();
            if (received == Received.NOBODY_LEFT) {
                return;
            }
            if (received == Received.A_CALL) {
                var call = worker.notifications.notification();
                try {
                    answer(worker, calls, call);
                } catch (NotNow e) {
                    waitFor(call, worker, listener);
                }
            }
        }
    }

    private Calls calls(Worker worker) {
        return new Calls(worker, judge, tree, segments, netlink, usage, wayOut, startable);
    }

    private static void answer(Worker worker, Calls calls, Notification call) {
        try {
            calls.answer(call);
        } catch (Failed e) {
            worker.answer(call, -e.errno());
        } catch (NotNow e) {
            throw e;
        } catch (RuntimeException | Error e) {
            // INVARIANT: a thread that answers goes on, also without memory or threads to start.
            worker.answer(call, -Errno.EACCES);
        } finally {
            worker.closeKept();
        }
    }

    /// Answers `call` on a thread of its own.
    private void waitFor(Notification call, Worker worker, int listener) {
        var turn = patience.enter(call);
        if (turn != Patience.Turn.NOW) {
            if (turn == Patience.Turn.NEVER) {
                worker.answer(call, -Errno.EACCES);
            }
            return;
        }
        // Its own copy: the number of ours may mean something else by the time it is used.
        int copy = worker.files.copy(listener);
        try {
            if (copy < 0) {
                throw new Failed(-copy);
            }
            Thread.ofPlatform().daemon().name("writ-waiting").start(() -> waitFor(call, copy));
        } catch (RuntimeException | Error e) {
            // No descriptor or no thread is left, perhaps because the sandbox took them all.
            worker.files.close(copy);
            worker.answer(call, -Errno.EACCES);
            patience.leave().forEach(other -> worker.answer(other, -Errno.EACCES));
        }
    }

    private void waitFor(Notification first, int copy) {
        for (var call = first; call != null; call = patience.next()) {
            try (var patient = new Worker(true)) {
                patient.notifications.listenTo(copy);
                patient.asker = asker(call, copy);
                answer(patient, calls(patient), call);
            } catch (RuntimeException | Error e) {
                refuse(call, copy);
            }
        }
        try (var kernel = new Kernel()) {
            new FileCalls(kernel).close(copy);
        }
    }

    private Lineage asker(Notification call, int listener) {
        return new Lineage(
                call.task(),
                judge.members(),
                () -> waits(call, listener),
                () -> new Around(tree).of(call.task()));
    }

    /// Whether the maker of `call` still waits: asked on any thread, until it is answered.
    private static boolean waits(Notification call, int listener) {
        try (var kernel = new Kernel()) {
            var notifications = new Notifications(kernel);
            notifications.listenTo(listener);
            return notifications.isWaiting(call.id());
        }
    }

    private static void refuse(Notification call, int listener) {
        try (var kernel = new Kernel()) {
            var notifications = new Notifications(kernel);
            notifications.listenTo(listener);
            notifications.answer(call.id(), -Errno.EACCES);
        }
    }
}
