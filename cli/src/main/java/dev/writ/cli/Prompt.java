// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.broker.Asker;
import dev.writ.runtime.approval.Choice;
import dev.writ.runtime.approval.Neutral;
import dev.writ.runtime.approval.Question;
import dev.writ.runtime.approval.QuestionText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// How a question looks on a screen, with the choices there are.
///
/// @param lineage who asks, itself first
/// @param unicode whether the terminal draws more than ASCII
record Prompt(Question question, List<Asker.Task> lineage, boolean unicode, Paint paint) {
    private static final int MOST_OBJECT = 20_000;
    private static final int NARROW = 60;
    private static final int MOST_TYPED = 16;

    Prompt {
        lineage = List.copyOf(lineage);
    }

    /// One screen.
    ///
    /// @param lines from the top, each narrower than the terminal
    /// @param below how many lines of the question are not on it yet
    record Page(List<String> lines, int below) {}

    /// What the operator is about to say.
    ///
    /// @param typed what stands on the answer line
    /// @param ready whether keys count by now
    /// @param from the first line of the question to show
    record Entry(String typed, boolean ready, int from) {}

    Page page(int rows, int columns, Entry entry) {
        int width = Math.max(12, columns - 1);
        var footer = choices(width, true);
        var body = text().body(width, true);
        if (body.size() + footer.size() + 1 > rows) {
            footer = choices(width, false);
            body = text().body(width, false);
        }
        int room = Math.max(1, rows - footer.size() - 1);
        int from = Math.max(0, Math.min(entry.from(), body.size() - room));
        int below = Math.max(0, body.size() - from - room);
        var lines = new ArrayList<>(body.subList(from, body.size() - below));
        lines.addAll(footer);
        lines.add(answerLine(width, entry, below));
        return new Page(lines, below);
    }

    /// How far to go on for the next page.
    int pageLength(int rows, int columns) {
        int width = Math.max(12, columns - 1);
        return Math.max(1, rows - choices(width, false).size() - 1);
    }

    /// The choice behind what was typed; nothing if there is none of that name.
    Optional<Choice> choice(String typed) {
        return switch (typed) {
            case "" -> Optional.of(Choice.NO);
            case "o" -> isWhole() ? Optional.of(Choice.ONCE) : Optional.empty();
            case "r" -> isWhole() ? Optional.of(Choice.THIS_RUN) : Optional.empty();
            case "a" -> mayBeKept() ? Optional.of(Choice.ALWAYS) : Optional.empty();
            case "n" -> Optional.of(Choice.NO);
            case "x" -> Optional.of(Choice.NO_TO_ALL);
            default -> Optional.empty();
        };
    }

    private QuestionText text() {
        return new QuestionText(question, lineage, unicode, MOST_OBJECT, paint);
    }

    /// Only what can be seen as a whole can be approved.
    private boolean isWhole() {
        return text().object().length() <= MOST_OBJECT;
    }

    private boolean mayBeKept() {
        return !question.remembered().isEmpty() && isWhole();
    }

    private List<String> choices(int width, boolean roomy) {
        int others = question.others().getAsInt();
        String waiting = others == 0 ? "" : " (" + others + " more wait)";
        if (!isWhole()) {
            return Neutral.words(
                    "n no, x no to all; too long to be shown, so it cannot be approved here"
                            + waiting,
                    width);
        }
        if (!roomy) {
            String always = mayBeKept() ? "a always, " : "";
            return Neutral.words(
                    "o once, r this run, " + always + "n no, x no to all" + waiting, width);
        }
        var lines = new ArrayList<String>();
        for (var choice :
                List.of(
                        "o  once",
                        "r  for this run",
                        mayBeKept()
                                ? "a  always: keeps exactly the line at `what` (`writ approvals`)"
                                : "-  always is not possible: no line would show all of it",
                        "n  no",
                        "x  no, and no to all other questions" + waiting)) {
            Neutral.words(choice, width - 2).forEach(line -> lines.add("  " + line));
        }
        lines.add("");
        return lines;
    }

    private String answerLine(int width, Entry entry, int below) {
        String line;
        if (!entry.ready()) {
            line = "...";
        } else if (below > 0) {
            line = below + " more lines: space shows them, then answer; Enter: no ";
        } else {
            line = width < NARROW ? "[no] " : "A letter and Enter; Enter alone is no: ";
        }
        if (line.length() > width - MOST_TYPED) {
            line = below + " below: space [no] ";
        }
        line = line.substring(0, Math.min(line.length(), Math.max(0, width - MOST_TYPED)));
        return paint.bold(line) + entry.typed();
    }
}
