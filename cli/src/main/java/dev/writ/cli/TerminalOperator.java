// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.broker.Asker;
import dev.writ.runtime.approval.Choice;
import dev.writ.runtime.approval.Operator;
import dev.writ.runtime.approval.Question;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// The operator at a terminal. Keys count only when the question has been on the screen for a
/// while, the terminal has dealt with everything that came before it, and nobody was typing: what
/// was meant for the program underneath, or was sent by the terminal itself, is no answer.
final class TerminalOperator implements Operator {
    private static final int GLANCE = 100; // milliseconds
    private static final long QUIET = TimeUnit.MILLISECONDS.toNanos(600);
    private static final long DEAF = TimeUnit.MILLISECONDS.toNanos(1500);
    private static final long SEEN = TimeUnit.MILLISECONDS.toNanos(1500);

    private final OperatorTerminal terminal;
    private final String name;
    private final boolean unicode;
    private final Paint paint;
    private final PrintStream err;

    /// @param unicode whether the terminal draws more than ASCII
    TerminalOperator(
            OperatorTerminal terminal, String name, boolean unicode, Paint paint, PrintStream err) {
        this.terminal = terminal;
        this.name = name;
        this.unicode = unicode;
        this.paint = paint;
        this.err = err;
    }

    @Override
    public String name() {
        return name + " at the terminal";
    }

    @Override
    public void tell(String line) {
        terminal.errors(err).println("writ: " + line);
    }

    @Override
    public Reply ask(Question question) {
        return terminal.take(err, turn -> new Conversation(turn, question).run())
                .orElseGet(
                        () ->
                                new Reply.None(
                                        "nobody could be asked, because Writ is not in the foreground of its terminal"));
    }

    /// One question on the screen.
    private final class Conversation {
        private final OperatorTerminal.Turn turn;
        private final Question question;
        private final Prompt prompt;
        private final AnswerKeys keys = new AnswerKeys();
        private final long begun = System.nanoTime();
        private long lastKey = begun;
        private boolean ready;
        private int from;
        private List<String> drawn = List.of();

        Conversation(OperatorTerminal.Turn turn, Question question) {
            this.turn = turn;
            this.question = question;
            this.prompt = new Prompt(question, lineage(question), unicode, paint);
        }

        private static List<Asker.Task> lineage(Question question) {
            return question.askers().stream()
                    .map(Asker::lineage)
                    .filter(l -> !l.isEmpty())
                    .findFirst()
                    .orElse(List.of());
        }

        Reply run() {
            var page = draw();
            turn.askForPlace();
            while (question.isOpen()) {
                long before = System.nanoTime();
                var typed = turn.keys(GLANCE);
                if (typed.isEmpty()) {
                    return new Reply.Chosen(Choice.NO); // the terminal is gone
                }
                for (byte b : typed.get()) {
                    var reply = type(b & 0xff, page);
                    if (reply != null) {
                        return new Reply.Chosen(reply);
                    }
                }
                if (typed.get().length == 0) {
                    settle(before);
                }
                page = draw();
            }
            turn.draw(List.of(paint.bold("writ: who asked has ended; nothing is left to answer")));
            LockSupport.parkNanos(SEEN);
            return new Reply.None("nobody waits for the answer any more");
        }

        private Prompt.Page draw() {
            var page =
                    prompt.page(
                            turn.rows(),
                            turn.columns(),
                            new Prompt.Entry(keys.line(), ready, from));
            if (!page.lines().equals(drawn)) {
                turn.draw(page.lines());
                drawn = page.lines();
            }
            return page;
        }

        /// @param quiet when no key waited to be read: later ones may, if this thread was held up
        private void settle(long quiet) {
            if (quiet - lastKey > QUIET) {
                keys.pause();
                ready = ready || keys.hasReportedPlace() || quiet - begun > DEAF;
            }
        }

        /// The choice that a byte completes; null if none.
        private @Nullable Choice type(int b, Prompt.Page page) {
            lastKey = System.nanoTime();
            var key = keys.type(b);
            if (!ready) {
                keys.clear();
                return null;
            }
            return switch (key) {
                case NOTHING, CHANGED -> null;
                case STOP -> Choice.NO;
                case MORE -> {
                    from += page.below() == 0 ? 0 : prompt.pageLength(turn.rows(), turn.columns());
                    yield null;
                }
                case ENTER -> chosen(page);
            };
        }

        private @Nullable Choice chosen(Prompt.Page page) {
            var choice = prompt.choice(keys.line()).orElse(null);
            keys.clear();
            boolean no = choice == Choice.NO || choice == Choice.NO_TO_ALL;
            return no || page.below() == 0 ? choice : null; // nothing is approved unseen
        }
    }
}
