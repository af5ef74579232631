// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.backends.process.ExecStop.Ruling;
import dev.writ.core.capability.Limit.Resource;
import dev.writ.kernel.Call;
import dev.writ.kernel.Errno;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.Limits;
import dev.writ.kernel.Notifications;
import dev.writ.kernel.Notifications.Received;
import dev.writ.kernel.Pidfd;
import dev.writ.kernel.Processors;
import dev.writ.kernel.Processors.Some;
import dev.writ.kernel.Ptrace;
import dev.writ.kernel.Ptrace.Event;
import dev.writ.kernel.Spawn;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/// Follows every process of a sandbox from its birth to its end. None can leave the tree, none
/// outlives it, and all die with the thread that follows them, if it ends before they do.
///
/// At the exec stop a new program lies complete in its own memory and has not run yet: what is
/// judged there cannot change any more.
final class Tracer {
    private static final int NO_LISTENER = -1;
    private static final int SIGKILL = 9;
    private static final int DENIED = 126;
    private static final long GLANCE =
            1_000_000; // nanoseconds between looks while an answer is due

    private final ExecStop execStop;
    private final Tree tree;
    private final Usage usage;
    private final Births births;
    private final boolean startsHeld;
    private final ObjIntConsumer<Some> supervise;
    private final Crew.Job job = this::run;
    private final Set<Integer> members;

    /// Those whose birth was heard of, and those that ended before it was: the kernel tells of a
    /// child that was killed at once before it tells of its birth.
    private final Set<Integer> born = new HashSet<>();

    private final Set<Integer> endedEarly = new HashSet<>();

    /// Who was made by whom, and which of them run a program of their own.
    private final Map<Integer, Integer> parents = new HashMap<>();

    private final Set<Integer> running = new HashSet<>();
    private final CompletableFuture<Integer> result = new CompletableFuture<>();
    private final ConcurrentLinkedQueue<Answer> answers = new ConcurrentLinkedQueue<>();
    private final Map<Integer, Object> held = new HashMap<>();
    private volatile @Nullable Thread thread;
    private Crew.@Nullable Member member;
    private volatile int listener = NO_LISTENER;
    private volatile Runnable whenStopped = () -> {};
    private volatile boolean ending;
    private volatile int failure;
    private int firstProcess = -1; // guarded by this
    private int first;
    private Some afterwards = Some.UNKNOWN;
    private int exitCode;

    private record Answer(int task, Object token, Ruling ruling) {}

    /// @param startsHeld whether starts of programs wait for an answer
    /// @param supervise who answers from the first program on: is given the listener once the first
    /// process is held, and where to run
    Tracer(
            ExecStop execStop,
            Tree tree,
            Usage usage,
            boolean startsHeld,
            ObjIntConsumer<Some> supervise) {
        this.startsHeld = startsHeld;
        this.execStop = execStop;
        this.tree = tree;
        this.usage = usage;
        this.births = new Births(usage, tree);
        this.members = tree.members;
        this.supervise = supervise;
    }

    /// Gets a thread for it, while there is nothing to follow yet. Until the program begins, they
    /// do nothing but wait for each other, and so stay `together`.
    ///
    /// @param all where both may run afterwards
    void prepare(Processors processors, Some together, Some all) {
        member = Crew.reserve();
        processors.use(member.number(), together);
        afterwards = all;
    }

    /// Takes the listener, and begins. Called from the confined thread: no more than a store and a
    /// wake-up.
    void take(int descriptor) {
        listener = descriptor;
        Objects.requireNonNull(member).give(job);
    }

    /// Ends without anything to follow, after the start of it has failed.
    void giveUp() {
        // Once there is a listener, its end is seen there.
        if (listener == NO_LISTENER && member != null) {
            member.give(
                    worker -> {
                        worker.processors.use(0, afterwards);
                        return true;
                    });
        }
    }

    /// The exit code of the first process, when nothing is left.
    CompletableFuture<Integer> result() {
        return result;
    }

    /// Why the first process could not be taken hold of, as an error number; 0 if it could.
    int failure() {
        return failure;
    }

    /// Does `action` whenever the first process has been stopped, on a thread that may not be held
    /// up.
    void whenStopped(Runnable action) {
        whenStopped = action;
    }

    /// Sends a signal to the first process and its group.
    synchronized void signal(int number) {
        if (firstProcess >= 0 && !ending) {
            try (var kernel = new Kernel()) {
                Ptrace.killGroup(kernel, first, number);
            }
        }
    }

    /// Ends the first process, from any thread; the others follow it. Numbers of others are safe to
    /// use on the tracer's own thread only: until it has heard of an end, no number is used again.
    synchronized void stop() {
        ending = true;
        if (firstProcess >= 0) {
            try (var kernel = new Kernel()) {
                Pidfd.signal(kernel, firstProcess, SIGKILL);
            }
        }
    }

    private boolean run(Worker worker) {
        thread = Thread.currentThread();
        boolean supervised = false;
        try {
            if (admitFirst(worker)) {
                supervise.accept(afterwards, listener);
                supervised = true;
                follow(worker);
            }
            forgetFirst(worker.files);
            result.complete(usage.ended(exitCode));
            return true;
        } catch (RuntimeException | Error e) {
            result.completeExceptionally(e);
            return false;
        } finally {
            worker.processors.use(0, afterwards);
            if (!supervised) {
                worker.files.close(listener);
            }
        }
    }

    /// Takes hold of the first process, which waits at the gate, and lets it begin: followed, and
    /// without a core to leave behind. False if there is none.
    private boolean admitFirst(Worker worker) {
        var notifications = worker.notifications;
        notifications.listenTo(listener);
        while (notifications.await()) {
            if (notifications.receive() != Received.A_CALL) {
                continue;
            }
            var call = notifications.notification();
            if (call.number() != Spawn.GATE.number()) {
                notifications.answer(call.id(), -Errno.EACCES);
                continue;
            }
            holdFirst(worker.kernel, call.task());
            failure =
                    (int) -Math.min(0, worker.ptrace.seize(first, usage.bounds.has(Resource.DISK)));
            if (failure != 0) {
                notifications.answer(call.id(), -Errno.EPERM);
                return false;
            }
            if (Limits.set(worker.kernel, first, Limits.CORE, 0) >= 0
                    && usage.bounds.setOn(worker.kernel, first)) {
                notifications.answer(call.id(), 0);
                if (startsHeld) {
                    admitStart(notifications);
                }
            } else {
                notifications.answer(call.id(), -Errno.EPERM);
            }
            return true;
        }
        return false;
    }

    /// Lets the first process become the program, so that nobody else has to be woken for that.
    /// What it does until then is what it was made to do, in memory that is still ours.
    private static void admitStart(Notifications notifications) {
        while (notifications.await()) {
            if (notifications.receive() == Received.A_CALL) {
                var call = notifications.notification();
                notifications.letPass(call.id());
                if (call.number() == Call.EXECVE.number()) {
                    return;
                }
            }
        }
    }

    private synchronized void holdFirst(Kernel kernel, int task) {
        first = task;
        tree.begins(task);
        firstProcess = Pidfd.open(kernel, task);
        birth(task);
        if (ending) {
            Pidfd.signal(kernel, firstProcess, SIGKILL); // stopped before it began
        }
    }

    private synchronized void forgetFirst(FileCalls files) {
        files.close(firstProcess);
        firstProcess = -1;
    }

    private void follow(Worker worker) {
        var ptrace = worker.ptrace;
        var accounts = Accounts.ofEnded(worker, tree, usage);
        while (true) {
            boolean idle = held.isEmpty() && births.isIdle();
            int task = accounts == null ? ptrace.await(idle) : ptrace.await(idle, accounts);
            if (task > 0) {
                meet(worker, task);
            } else if (task == 0) {
                LockSupport.parkNanos(this, GLANCE);
                settle(worker.kernel, ptrace, worker.files);
                births.settle(worker);
            } else if (task != -Errno.EINTR) {
                return; // nobody is left
            }
        }
    }

    private void meet(Worker worker, int task) {
        var ptrace = worker.ptrace;
        var event = ptrace.event();
        if (event == Event.EXIT) {
            Accounts.exits(worker, tree, usage, task);
            ptrace.resume(task, 0);
            return;
        }
        boolean unheardOf = event != Event.ENDED && members.add(task);
        if (ending && event != Event.ENDED) {
            // Whoever is heard of now has been forgotten, or was born too late.
            kill(worker.kernel, worker.files, task);
            ptrace.resume(task, 0);
            return;
        }
        switch (event) {
            case ENDED -> ended(worker.kernel, ptrace, worker.files, task);
            case SIGNAL -> {
                if (!births.resumes(worker, task, ptrace.signal())) {
                    ptrace.resume(task, ptrace.signal());
                }
            }
            case GROUP_STOP -> {
                ptrace.leaveStopped(task);
                if (task == first) {
                    whenStopped.run();
                }
            }
            case BIRTH -> {
                int child = ptrace.message(task);
                if (birth(child)) {
                    parents.put(child, task);
                    births.admits(worker, child);
                }
                if (!births.refuses(worker, task, child)) {
                    ptrace.resume(task, 0);
                }
            }
            case CALL -> births.atCall(worker, task);
            case EXEC -> {
                int former = ptrace.message(task);
                if (tree.hasBegun(task)) {
                    worker.processors.use(0, afterwards);
                    worker.processors.use(task, afterwards);
                }
                if (former != task) {
                    members.remove(former);
                    born.remove(former);
                    births.ended(worker.kernel, worker.files, former);
                }
                births.leaves(worker.kernel, worker.files, task);
                judge(worker.kernel, ptrace, worker.files, task);
            }
            case EXIT -> {}
            case OTHER -> {
                if (unheardOf) {
                    births.admits(worker, task);
                }
                if (!births.ends(worker, task) && !births.resumes(worker, task, 0)) {
                    ptrace.resume(task, 0);
                }
            }
        }
    }

    /// INVARIANT: no number stays a member when its task has ended. It would belong to somebody
    /// else soon, who would be let in and killed with the others at the end.
    ///
    /// @return whether it was not heard of before
    private boolean birth(int child) {
        if (child <= 0 || endedEarly.remove(child)) {
            return false;
        }
        born.add(child);
        return members.add(child);
    }

    private void ended(Kernel kernel, Ptrace ptrace, FileCalls files, int task) {
        members.remove(task);
        parents.remove(task);
        if (running.remove(task)) {
            execStop.ended(task, ptrace.exitCode());
        }
        tree.leaving.remove(task);
        if (!born.remove(task)) {
            endedEarly.add(task);
        }
        held.remove(task);
        births.ended(kernel, files, task);
        if (task == first) {
            exitCode = ptrace.exitCode();
            ending = true;
            members.forEach(m -> kill(kernel, files, m));
        }
    }

    /// Ends one that is ours. While it is, nobody else gets its number: only this thread can hear
    /// of its end.
    private static void kill(Kernel kernel, FileCalls files, int task) {
        if (Tasks.tracer(files, task) == kernel.thread()) {
            Ptrace.kill(kernel, task, SIGKILL);
        }
    }

    private void judge(Kernel kernel, Ptrace ptrace, FileCalls files, int task) {
        var token = new Object();
        var ruling =
                execStop.judge(
                        task,
                        later -> {
                            answers.add(new Answer(task, token, later));
                            LockSupport.unpark(thread);
                        });
        if (ruling.isPresent()) {
            carryOut(kernel, ptrace, files, task, ruling.get());
        } else {
            held.put(task, token);
        }
    }

    /// Lets those go on, or ends them, about whom the operator has been asked.
    private void settle(Kernel kernel, Ptrace ptrace, FileCalls files) {
        for (var answer = answers.poll(); answer != null; answer = answers.poll()) {
            // A number that has been used again belongs to somebody else.
            if (held.remove(answer.task(), answer.token())) {
                carryOut(kernel, ptrace, files, answer.task(), answer.ruling());
            }
        }
    }

    private void carryOut(Kernel kernel, Ptrace ptrace, FileCalls files, int task, Ruling judged) {
        var ruling = execStop.start(task, parent(files, task), judged);
        if (ruling.mayRun()) {
            running.add(task);
            ptrace.resume(task, 0);
        } else {
            Errors.say(kernel, files, task, ruling.line() + "\n");
            ptrace.exit(task, DENIED);
        }
    }

    /// Who made `task`; 0 for the first. A child can come to its program before its birth is told
    /// of.
    private int parent(FileCalls files, int task) {
        if (task == first) {
            return 0;
        }
        var known = parents.get(task);
        return known == null ? Tasks.parent(files, task) : known;
    }
}
