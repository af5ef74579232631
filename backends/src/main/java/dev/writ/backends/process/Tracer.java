// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.broker.Verdict;
import dev.writ.kernel.Credentials;
import dev.writ.kernel.Errno;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.Pidfd;
import dev.writ.kernel.Ptrace;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/// Follows every process of a sandbox from its birth to its end. None can leave the tree, none
/// outlives it, and all die with this thread, whatever ends it.
///
/// At the exec stop a new program lies complete in its own memory and has not run yet: what is
/// judged there cannot change any more.
final class Tracer implements Runnable {
    private static final int SIGKILL = 9;
    private static final int DENIED = 126;
    private static final long GLANCE =
            1_000_000; // nanoseconds between looks while an answer is due

    private final ExecStop execStop;
    private final Waiting waiting;
    private final Set<Integer> members = ConcurrentHashMap.newKeySet();

    /// Those whose birth was heard of, and those that ended before it was: the kernel tells of a
    /// child that was killed at once before it tells of its birth.
    private final Set<Integer> born = new HashSet<>();

    private final Set<Integer> endedEarly = new HashSet<>();
    private final CompletableFuture<Integer> result = new CompletableFuture<>();
    private final ConcurrentLinkedQueue<Answer> answers = new ConcurrentLinkedQueue<>();
    private final Map<Integer, Object> held = new HashMap<>();
    private volatile @Nullable Thread thread;
    private volatile int first;
    private volatile long seized = 1;
    private volatile boolean ending;
    private int exitCode;

    private record Answer(int task, Object token, Verdict verdict) {}

    Tracer(ExecStop execStop, Waiting waiting) {
        this.execStop = execStop;
        this.waiting = waiting;
    }

    void start() {
        var started = Thread.ofPlatform().daemon().name("writ-tracer").unstarted(this);
        thread = started;
        started.start();
    }

    IntPredicate members() {
        return members::contains;
    }

    /// Takes hold of the first process, which waits meanwhile; of any other that asks, only says
    /// whether it belongs to the sandbox.
    boolean admit(int task) {
        if (first != 0) {
            return members.contains(task);
        }
        first = task;
        LockSupport.unpark(thread);
        while (seized == 1) {
            Thread.onSpinWait();
        }
        return seized == 0;
    }

    /// Ends without anything to follow.
    void giveUp() {
        ending = true;
        LockSupport.unpark(thread);
    }

    /// The exit code of the first process, when nothing is left.
    CompletableFuture<Integer> result() {
        return result;
    }

    void stop() {
        ending = true;
        try (var kernel = new Kernel()) {
            members.forEach(task -> Ptrace.kill(kernel, task, SIGKILL));
        }
    }

    @Override
    public void run() {
        while (first == 0 && !ending) {
            LockSupport.park(this);
        }
        try (var kernel = new Kernel()) {
            if (first != 0) {
                Credentials.renounce(kernel);
                follow(kernel);
            }
            result.complete(exitCode);
        } catch (RuntimeException | Error e) {
            // The kernel ends what was followed when this thread ends.
            seized = Math.min(seized, -Errno.EPERM);
            result.completeExceptionally(e);
        }
    }

    private void follow(Kernel kernel) {
        var ptrace = new Ptrace(kernel);
        var files = new FileCalls(kernel);
        birth(first);
        seized = Math.min(0, ptrace.seize(first));
        if (seized < 0) {
            return;
        }
        while (true) {
            int task = ptrace.await(held.isEmpty());
            if (task > 0) {
                meet(kernel, ptrace, files, task);
            } else if (task == 0) {
                LockSupport.parkNanos(this, GLANCE);
                settle(kernel, ptrace, files);
            } else if (task != -Errno.EINTR) {
                return; // nobody is left
            }
        }
    }

    private void meet(Kernel kernel, Ptrace ptrace, FileCalls files, int task) {
        members.add(task);
        switch (ptrace.event()) {
            case ENDED -> ended(kernel, ptrace, files, task);
            case SIGNAL -> ptrace.resume(task, ptrace.signal());
            case GROUP_STOP -> ptrace.leaveStopped(task);
            case BIRTH -> {
                birth(ptrace.message(task));
                ptrace.resume(task, 0);
            }
            case EXEC -> {
                int former = ptrace.message(task);
                if (former != task) {
                    members.remove(former);
                    born.remove(former);
                }
                judge(kernel, ptrace, files, task);
            }
            case OTHER -> {
                if (ending) {
                    Ptrace.kill(kernel, task, SIGKILL);
                }
                ptrace.resume(task, 0);
            }
        }
    }

    /// INVARIANT: no number stays a member when its task has ended. It would belong to somebody
    /// else soon, who would be let in and killed with the others at the end.
    private void birth(int child) {
        if (child > 0 && !endedEarly.remove(child)) {
            born.add(child);
            members.add(child);
        }
    }

    private void ended(Kernel kernel, Ptrace ptrace, FileCalls files, int task) {
        members.remove(task);
        if (!born.remove(task)) {
            endedEarly.add(task);
        }
        held.remove(task);
        waiting.release(files, task);
        if (task == first) {
            exitCode = ptrace.exitCode();
            ending = true;
            members.forEach(m -> Ptrace.kill(kernel, m, SIGKILL));
        }
    }

    private void judge(Kernel kernel, Ptrace ptrace, FileCalls files, int task) {
        var token = new Object();
        var verdict =
                execStop.judge(
                        task,
                        later -> {
                            answers.add(new Answer(task, token, later));
                            LockSupport.unpark(thread);
                        });
        if (verdict.isPresent()) {
            carryOut(kernel, ptrace, files, task, verdict.get());
        } else {
            held.put(task, token);
        }
    }

    /// Lets those go on, or ends them, about whom the operator has been asked.
    private void settle(Kernel kernel, Ptrace ptrace, FileCalls files) {
        for (var answer = answers.poll(); answer != null; answer = answers.poll()) {
            // A number that has been used again belongs to somebody else.
            if (held.remove(answer.task(), answer.token())) {
                carryOut(kernel, ptrace, files, answer.task(), answer.verdict());
            }
        }
    }

    private static void carryOut(
            Kernel kernel, Ptrace ptrace, FileCalls files, int task, Verdict verdict) {
        switch (verdict) {
            case Verdict.Permitted _ -> ptrace.resume(task, 0);
            case Verdict.Refused(var reason) -> {
                say(kernel, files, task, "writ: refused: " + reason.line() + "\n");
                ptrace.exit(task, DENIED);
            }
        }
    }

    /// Writes a line to the standard error of `task`, if there is room for it.
    private static void say(Kernel kernel, FileCalls files, int task, String line) {
        int errors = Pidfd.descriptor(kernel, task, 2);
        if (errors >= 0) {
            files.writeNow(errors, Walker.bytes(line));
            files.close(errors);
        }
    }
}
