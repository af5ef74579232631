// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.capability.Limit.Resource;
import dev.writ.kernel.Call;
import dev.writ.kernel.Errno;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.Notifications;
import dev.writ.kernel.Notifications.Notification;
import dev.writ.kernel.Notifications.Received;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Answers the calls that confined processes wait in. Whatever goes wrong on the way to an answer,
/// the answer is a refusal.
///
/// One thread answers what can be answered at once, in the order in which it comes. What has to
/// wait gets a thread of its own, so that nobody holds up the others.
final class Supervisor {
    private static final int MOST_WAITING = 64;

    private final Judge judge;
    private final Tree tree;
    private final Usage usage;
    private final Segments segments;
    private final AtomicInteger patientThreads = new AtomicInteger();

    Supervisor(Judge judge, Tree tree, Usage usage) {
        this.judge = judge;
        this.tree = tree;
        this.usage = usage;
        this.segments = new Segments(usage.bounds.most(Resource.MEMORY));
    }

    /// Starts to answer what comes to `listener`, on a thread that is not confined, and closes it
    /// in the end.
    void start(int listener) {
        Crew.reserve().give(worker -> run(worker, listener));
    }

    private boolean run(Worker worker, int listener) {
        try {
            worker.notifications.listenTo(listener);
            serve(worker, listener);
            return true;
        } finally {
            segments.release(worker);
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

    private static void answer(
            Worker worker, @Nullable Consumer<Notification>[] calls, Notification call) {
        try {
            var handler = call.number() < calls.length ? calls[call.number()] : null;
            if (handler == null) {
                throw new Failed(Errno.ENOSYS);
            }
            handler.accept(call);
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
        if (patientThreads.incrementAndGet() > MOST_WAITING) {
            patientThreads.decrementAndGet();
            worker.answer(call, -Errno.EACCES);
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
            patientThreads.decrementAndGet();
            worker.answer(call, -Errno.EACCES);
        }
    }

    private void waitFor(Notification call, int copy) {
        try (var kernel = new Kernel()) {
            try (var patient = new Worker(true)) {
                patient.notifications.listenTo(copy);
                answer(patient, calls(patient), call);
            } catch (RuntimeException | Error e) {
                refuse(kernel, call, copy);
            } finally {
                new FileCalls(kernel).close(copy);
            }
        } finally {
            patientThreads.decrementAndGet();
        }
    }

    private static void refuse(Kernel kernel, Notification call, int listener) {
        var notifications = new Notifications(kernel);
        notifications.listenTo(listener);
        notifications.answer(call.id(), -Errno.EACCES);
    }

    /// What answers each call, by number.
    private @Nullable Consumer<Notification>[] calls(Worker worker) {
        var walker = new Walker(worker, judge.members());
        var opens = new Opens(worker, walker, judge, tree, usage);
        var questions = new Questions(worker, walker, judge);
        var names = new Names(worker, walker, judge, usage);
        var attributes = new Attributes(worker, walker, judge);
        var connections = new Connections(worker, walker, judge);
        var neighbours = new Neighbours(worker, judge.members());
        var table = new Table();
        table.put(Call.OPEN, opens::open);
        table.put(Call.CREAT, opens::creat);
        table.put(Call.OPENAT, opens::openat);
        table.put(Call.OPENAT2, opens::openat2);
        table.put(Call.ACCESS, questions::access);
        table.put(Call.FACCESSAT, questions::faccessat);
        table.put(Call.FACCESSAT2, questions::faccessat2);
        table.put(Call.MKDIR, names::mkdir);
        table.put(Call.MKDIRAT, names::mkdirat);
        table.put(Call.MKNOD, names::mknod);
        table.put(Call.MKNODAT, names::mknodat);
        table.put(Call.UNLINK, names::unlink);
        table.put(Call.RMDIR, names::rmdir);
        table.put(Call.UNLINKAT, names::unlinkat);
        table.put(Call.SYMLINK, names::symlink);
        table.put(Call.SYMLINKAT, names::symlinkat);
        table.put(Call.LINK, names::link);
        table.put(Call.LINKAT, names::linkat);
        table.put(Call.RENAME, names::rename);
        table.put(Call.RENAMEAT, names::renameat);
        table.put(Call.RENAMEAT2, names::renameat2);
        table.put(Call.TRUNCATE, names::truncate);
        table.put(Call.CHMOD, attributes::chmod);
        table.put(Call.FCHMOD, attributes::fchmod);
        table.put(Call.FCHMODAT, attributes::fchmodat);
        table.put(Call.FCHMODAT2, attributes::fchmodat2);
        table.put(Call.CHOWN, attributes::chown);
        table.put(Call.LCHOWN, attributes::lchown);
        table.put(Call.FCHOWN, attributes::fchown);
        table.put(Call.FCHOWNAT, attributes::fchownat);
        table.put(Call.UTIME, attributes::utime);
        table.put(Call.UTIMES, attributes::utimes);
        table.put(Call.FUTIMESAT, attributes::futimesat);
        table.put(Call.UTIMENSAT, attributes::utimensat);
        table.put(Call.SETXATTR, attributes::setxattr);
        table.put(Call.LSETXATTR, attributes::lsetxattr);
        table.put(Call.FSETXATTR, attributes::fsetxattr);
        table.put(Call.REMOVEXATTR, attributes::removexattr);
        table.put(Call.LREMOVEXATTR, attributes::lremovexattr);
        table.put(Call.FREMOVEXATTR, attributes::fremovexattr);
        table.put(Call.IOCTL, attributes::setFlags);
        table.put(Call.INOTIFY_ADD_WATCH, attributes::watch);
        table.put(Call.CONNECT, connections::connect);
        table.put(Call.BIND, connections::bind);
        table.put(Call.LISTEN, connections::listen);
        table.put(Call.SOCKET, neighbours::refuse);
        table.put(Call.SENDTO, neighbours::refuse);
        table.put(Call.SETPRIORITY, neighbours::priority);
        table.put(Call.IOPRIO_SET, neighbours::inputPriority);
        table.put(Call.SCHED_SETAFFINITY, neighbours::ownTask);
        table.put(Call.SCHED_SETSCHEDULER, neighbours::ownTask);
        table.put(Call.SCHED_SETPARAM, neighbours::ownTask);
        table.put(Call.SCHED_SETATTR, neighbours::ownTask);
        table.put(Call.PRLIMIT64, neighbours::ownTask);
        table.put(Call.SHMGET, call -> segments.get(worker, call));
        table.put(Call.SHMAT, call -> segments.attach(worker, call));
        table.put(Call.SHMCTL, call -> segments.control(worker, call));
        table.put(Call.FALLOCATE, names::allocate);
        table.put(Call.SETSID, call -> openSession(worker, call));
        return table.handlers;
    }

    private void openSession(Worker worker, Notification call) {
        if (!judge.members().test(call.task())) {
            throw new Failed(Errno.EPERM);
        }
        worker.notifications.letPass(call.id());
    }

    private static final class Table {
        private static final int MOST = 1024;

        @SuppressWarnings({"unchecked", "rawtypes"})
        private final @Nullable Consumer<Notification>[] handlers = new Consumer[MOST];

        void put(Call call, Consumer<Notification> handler) {
            if (call.number() >= 0) {
                handlers[call.number()] = handler;
            }
        }
    }
}
