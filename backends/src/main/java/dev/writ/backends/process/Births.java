// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.capability.Limit.Resource;
import dev.writ.kernel.Detour;
import dev.writ.kernel.Errno;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.Ptrace;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Keeps the processes and threads of a session within bounds, for one sandbox of it. While there
/// are few, a birth costs nothing more. One too many ends before its first instruction, and its
/// parent's call fails as if it had never been: the parent is led to take note of the end, and is
/// told EAGAIN. Who is not to be led there, because another thread changes the code that it is led
/// by, or by a filter of its own, is ended: what it has not taken note of would fill the machine.
/// So is the process of a thread that is led to its end and does not end.
///
/// Belongs to the thread that follows the sandbox.
final class Births {
    private static final int SIGKILL = 9;
    private static final long LONGEST_PAUSE = 100;
    private static final long PAUSE = 1_000_000; // nanoseconds for each refusal so far

    private final Usage usage;
    private final Account account;
    private final Tree tree;
    private final long mostProcesses;
    private final long mostTasks;

    /// Those that must not live, and whether each is a process.
    private final Map<Integer, Boolean> unwanted = new HashMap<>();

    private final Set<Integer> unwantedEnded = new HashSet<>();

    /// Threads that were led to their end, and those of them that have come to the call for it.
    private final Set<Integer> led = new HashSet<>();

    private final Set<Integer> ending = new HashSet<>();
    private final Map<Integer, Parent> parents = new HashMap<>();
    private final Queue<Parent> waiting = new ArrayDeque<>();

    /// How far a parent has come on its way to hear that it has no child.
    private enum Step {
        CHILD_ENDS,
        CALL_ENDS,
        WAIT_BEGINS,
        WAIT_ENDS
    }

    private static final class Parent {
        final int task;
        final int itself;
        final int child;
        final boolean process;
        Step step = Step.CHILD_ENDS;
        long released;
        Detour.@Nullable Before before;

        /// @param itself the process of `task`
        /// @param process whether `child` is one
        Parent(int task, int itself, int child, boolean process) {
            this.task = task;
            this.itself = itself;
            this.child = child;
            this.process = process;
        }
    }

    Births(Usage usage, Tree tree) {
        this.usage = usage;
        this.account = usage.account;
        this.tree = tree;
        this.mostProcesses = usage.bounds.most(Resource.PROCS);
        this.mostTasks = usage.bounds.mostTasks();
    }

    /// Whether nobody waits for anything here.
    boolean isIdle() {
        return waiting.isEmpty();
    }

    /// Whether `newborn`, of which was just heard for the first time, may live.
    boolean admits(Worker worker, int newborn) {
        // Another one had this number, and its parent did not live to hear of it.
        forget(newborn);
        if (account.tasks() <= mostProcesses) {
            return true;
        }
        boolean process = isProcess(worker, newborn);
        boolean fits =
                account.members() <= mostTasks && (!process || processes(worker) <= mostProcesses);
        if (!fits) {
            unwanted.put(newborn, process);
        }
        return fits;
    }

    private long processes(Worker worker) {
        return account.processes(worker.files, worker.clock, worker.kernel);
    }

    private static boolean isProcess(Worker worker, int task) {
        return worker.clock.ofProcess(task) >= 0;
    }

    /// Takes care of a birth that is no birth; the parent stays where it is until then.
    ///
    /// @return whether `child` is unwanted
    boolean refuses(Worker worker, int parent, int child) {
        var process = unwanted.get(child);
        if (process == null) {
            return false;
        }
        var waits = new Parent(parent, Tasks.process(worker, parent), child, process);
        var strayed = parents.put(parent, waits);
        if (strayed != null) {
            end(worker.kernel, strayed);
        }
        if (unwantedEnded.contains(child)) {
            childEnded(waits);
        } else if (process) {
            Ptrace.kill(worker.kernel, child, SIGKILL);
        }
        return true;
    }

    /// Ends `newborn` at its first stop.
    ///
    /// @return whether it is unwanted
    boolean ends(Worker worker, int newborn) {
        var process = unwanted.get(newborn);
        if (process == null) {
            return false;
        }
        if (process) {
            Ptrace.kill(worker.kernel, newborn, SIGKILL);
            worker.ptrace.resume(newborn, 0);
            return true;
        }
        if (led.add(newborn)) {
            worker.detour.exit(newborn);
        }
        worker.ptrace.resumeToCall(newborn, 0);
        return true;
    }

    private void forget(int child) {
        unwanted.remove(child);
        unwantedEnded.remove(child);
    }

    void ended(Kernel kernel, FileCalls files, int task) {
        leaves(kernel, files, task);
        led.remove(task);
        ending.remove(task);
        tree.unburied.add(task);
        if (!unwanted.containsKey(task)) {
            return;
        }
        unwantedEnded.add(task);
        parents.values().stream()
                .filter(p -> p.child == task)
                .findFirst()
                .ifPresent(this::childEnded);
    }

    /// `task` does not go on as it was: it has ended, or become another program. Others of its
    /// process may go on.
    void leaves(Kernel kernel, FileCalls files, int task) {
        var parent = parents.remove(task);
        if (parent != null) {
            waiting.remove(parent);
            requireBuried(kernel, files, parent);
        }
    }

    private void requireBuried(Kernel kernel, FileCalls files, Parent parent) {
        if (parent.process
                && Tasks.parent(files, parent.child) == parent.itself
                && Tasks.isUnburied(kernel, files, parent.child)) {
            end(kernel, parent);
        }
    }

    /// While one of its tasks has not been heard of to have ended, its number is its own.
    private void end(Kernel kernel, Parent parent) {
        if (tree.members.contains(parent.itself) || tree.members.contains(parent.task)) {
            Ptrace.kill(kernel, parent.itself, SIGKILL);
        }
    }

    /// Who asks for too much again and again has to wait for the answer: a machine should not be
    /// busy with refusing.
    private void childEnded(Parent parent) {
        forget(parent.child);
        long times = usage.refuse(Resource.PROCS);
        parent.released = System.nanoTime() + PAUSE * Math.min(times, LONGEST_PAUSE);
        parent.step = Step.CALL_ENDS;
        waiting.add(parent);
    }

    /// Lets those go on who have waited long enough.
    void settle(Worker worker) {
        for (Iterator<Parent> all = waiting.iterator(); all.hasNext(); ) {
            var parent = all.next();
            if (System.nanoTime() - parent.released >= 0) {
                all.remove();
                worker.ptrace.resumeToCall(parent.task, 0);
            }
        }
    }

    /// Lets `task` go on, if it is on its way to hear that it has no child, or to its end.
    boolean resumes(Worker worker, int task, int signal) {
        boolean onItsWay = parents.containsKey(task) || led.contains(task);
        if (onItsWay) {
            worker.ptrace.resumeToCall(task, signal);
        }
        return onItsWay;
    }

    /// `task` is at the beginning or at the end of a call.
    void atCall(Worker worker, int task) {
        var parent = parents.get(task);
        if (parent == null) {
            atLastCall(worker, task);
            return;
        }
        var way = worker.detour;
        switch (parent.step) {
            case CHILD_ENDS -> {}
            case CALL_ENDS -> {
                if (parent.process) {
                    parent.before = way.waitFor(task, parent.child);
                    parent.step = Step.WAIT_BEGINS;
                    worker.ptrace.resumeToCall(task, 0);
                } else {
                    way.result(task, -Errno.EAGAIN);
                    done(worker, parent);
                }
            }
            case WAIT_BEGINS -> {
                parent.step = Step.WAIT_ENDS;
                worker.ptrace.resumeToCall(task, 0);
            }
            case WAIT_ENDS -> {
                if (parent.before != null) {
                    way.finish(task, parent.before, -Errno.EAGAIN);
                }
                requireBuried(worker.kernel, worker.files, parent);
                done(worker, parent);
            }
        }
    }

    /// `task` has no child to hear of. If it was led to its end, this is the call that ends it, and
    /// it does not come back from there.
    private void atLastCall(Worker worker, int task) {
        if (!led.contains(task)) {
            worker.ptrace.resume(task, 0);
            return;
        }
        if (!worker.detour.isExit(task) || !ending.add(task)) {
            Ptrace.kill(worker.kernel, Tasks.process(worker, task), SIGKILL);
        }
        worker.ptrace.resumeToCall(task, 0);
    }

    private void done(Worker worker, Parent parent) {
        parents.remove(parent.task);
        worker.ptrace.resume(parent.task, 0);
    }
}
