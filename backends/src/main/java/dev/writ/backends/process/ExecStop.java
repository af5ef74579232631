// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.backends.program.Programs;
import dev.writ.backends.program.Starts;
import dev.writ.core.audit.SessionId;
import dev.writ.core.broker.Asker;
import dev.writ.core.broker.Broker;
import dev.writ.core.broker.Reason;
import dev.writ.core.broker.Request;
import dev.writ.core.broker.Verdict;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.Text;
import dev.writ.core.policy.Policy;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.Pidfd;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// Judges the program that a process has just become, before it runs.
final class ExecStop {
    // A pipe takes 4096 bytes at once, and the reason has to be among them.
    private static final int LONGEST_COMMAND = 500;
    private static final int LONGEST_REASON = 800;

    /// What is to become of it.
    ///
    /// @param line what to say if it must not run; empty if it may
    /// @param program what it runs, if it may
    record Ruling(String line, Optional<Action.StartProgram> program) {
        static Ruling goOn(Action.StartProgram program) {
            return new Ruling("", Optional.of(program));
        }

        boolean mayRun() {
            return line.isEmpty();
        }

        static Ruling refused(String what, Reason reason) {
            return new Ruling(
                    "writ: denied: `"
                            + cut(what, LONGEST_COMMAND)
                            + "`: "
                            + cut(reason.line(), LONGEST_REASON),
                    Optional.empty());
        }

        private static String cut(String text, int most) {
            return text.length() <= most ? text : text.substring(0, most) + " ...";
        }
    }

    private final Policy policy;
    private final Broker broker;
    private final SessionId session;
    private final Tree tree;
    private final Programs programs;

    ExecStop(Policy policy, Broker broker, SessionId session, Tree tree, Programs programs) {
        this.policy = policy;
        this.broker = broker;
        this.session = session;
        this.tree = tree;
        this.programs = programs;
    }

    /// What is to become of `task`; nothing if the operator has to be asked, whose answer `later`
    /// gets.
    Optional<Ruling> judge(int task, Consumer<Ruling> later) {
        try {
            var starts = programs.starts(task);
            return starts instanceof Starts.Known known
                    ? judge(task, known, later)
                    : Optional.of(unclear(((Starts.Unclear) starts).why()));
        } catch (RuntimeException e) {
            return Optional.of(unclear("could not be judged: " + e.getMessage()));
        }
    }

    private static Ruling unclear(String why) {
        return Ruling.refused("exec", new Reason(Reason.NOT_JUDGED, why, ""));
    }

    private Optional<Ruling> judge(int task, Starts.Known known, Consumer<Ruling> later) {
        var questions = known.questions(policy);
        for (int i = 0; i < questions.size(); i++) {
            var question = questions.get(i);
            var verdict = broker.judgeNow(new Request(session, question));
            if (verdict.isEmpty()) {
                ask(task, known, questions.subList(i, questions.size()), later);
                return Optional.empty();
            }
            if (verdict.get() instanceof Verdict.Refused(var reason)) {
                return Optional.of(refused(question, reason));
            }
        }
        return Optional.of(Ruling.goOn(questions.getFirst()));
    }

    private Ruling refused(Action.StartProgram question, Reason reason) {
        return Ruling.refused(Text.shown(question.text(policy.scope())), reason);
    }

    private void ask(
            int task,
            Starts.Known known,
            List<Action.StartProgram> questions,
            Consumer<Ruling> later) {
        // ORDER: while it is stopped before the one who follows it, its number is its own.
        int process = handle(task);
        var files = known.files();
        // Whatever becomes of the question, `later` gets an answer.
        var _ =
                Host.call(
                                "writ-asking",
                                () -> {
                                    // What is shown is what must still be so afterwards.
                                    var then = new Around(tree).of(task);
                                    var asker =
                                            new Lineage(
                                                    task,
                                                    tree.members::contains,
                                                    () -> waits(process),
                                                    () -> then);
                                    var ruling = askAll(questions, asker);
                                    return still(task, known, files, then, ruling);
                                })
                        .exceptionally(e -> unclear("could not be judged: " + e.getMessage()))
                        .whenComplete((_, _) -> close(process))
                        .thenAccept(later);
    }

    /// The process waited as it was, but the names it was started by may lead elsewhere by now, and
    /// others may have moved the folder or changed the file that they share with it.
    private Ruling still(
            int task,
            Starts.Known known,
            List<String> files,
            Asker.Circumstances then,
            Ruling ruling) {
        if (!ruling.mayRun()) {
            return ruling;
        }
        boolean same =
                programs.starts(task) instanceof Starts.Known now
                        && now.questions(policy).equals(known.questions(policy))
                        && now.files().equals(files);
        if (!same) {
            return unclear("was exchanged while the question about it waited");
        }
        return new Around(tree).of(task).equals(then)
                ? ruling
                : unclear("its folder or what it reads changed while the question about it waited");
    }

    /// What becomes of `task` in the end: nothing runs whose start could not be written down.
    Ruling start(int task, int parent, Ruling ruling) {
        try {
            ruling.program().ifPresent(p -> broker.started(session, task, parent, p));
            return ruling;
        } catch (RuntimeException | Error e) {
            return Ruling.refused(
                    "exec",
                    new Reason(
                            Reason.NOT_RECORDED, "could not be recorded: " + e.getMessage(), ""));
        }
    }

    /// `task`, which ran a program, has ended.
    void ended(int task, int exitCode) {
        try {
            broker.exited(session, task, exitCode);
        } catch (RuntimeException | Error e) {
            // It has ended all the same; what is next to happen is refused.
        }
    }

    private static int handle(int task) {
        try (var kernel = new Kernel()) {
            return Pidfd.open(kernel, task);
        }
    }

    private static boolean waits(int process) {
        try (var kernel = new Kernel()) {
            return !Pidfd.hasEnded(kernel, process);
        }
    }

    private static void close(int process) {
        try (var kernel = new Kernel()) {
            new FileCalls(kernel).close(process);
        }
    }

    private Ruling askAll(List<Action.StartProgram> questions, Asker asker) {
        for (var question : questions) {
            if (broker.judge(new Request(session, question, asker))
                    instanceof Verdict.Refused(var reason)) {
                return refused(question, reason);
            }
        }
        return Ruling.goOn(questions.getFirst());
    }
}
