// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.broker.Asker;
import dev.writ.core.capability.Scope;
import dev.writ.runtime.approval.Choice;
import dev.writ.runtime.approval.Question;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// How a question looks. Text of the agent stands behind a bar and nowhere else, so that it cannot
/// be taken for ours; all of it is shown, or how much is not.
///
/// @param lineage who asks, itself first
/// @param unicode whether the terminal draws more than ASCII
record Prompt(Question question, List<Asker.Task> lineage, boolean unicode, Paint paint) {
    private static final int MOST_OBJECT = 3000;
    private static final int MOST_COMMAND = 400;
    private static final int MOST_STRANGE = 4;
    private static final int NEAREST = 4;
    private static final int NARROW = 60;
    private static final int MOST_TYPED = 16;
    private static final String BAR = "| ";

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
        var body = body(width, true);
        if (body.size() + footer.size() + 1 > rows) {
            footer = choices(width, false);
            body = body(width, false);
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
            case "o" -> Optional.of(Choice.ONCE);
            case "r" -> Optional.of(Choice.THIS_RUN);
            case "a" -> mayBeKept() ? Optional.of(Choice.ALWAYS) : Optional.empty();
            case "n" -> Optional.of(Choice.NO);
            case "x" -> Optional.of(Choice.NO_TO_ALL);
            default -> Optional.empty();
        };
    }

    private Neutral object() {
        return Neutral.of(question.action().text(Scope.SPELLED_OUT), unicode);
    }

    /// Only what has been seen as a whole can be approved for good.
    private boolean mayBeKept() {
        return !question.remembered().isEmpty() && object().length() <= MOST_OBJECT;
    }

    private List<String> body(int width, boolean roomy) {
        var lines = new ArrayList<String>();
        Neutral.words("writ: may this happen?", width).forEach(l -> lines.add(paint.bold(l)));
        gap(lines, roomy);
        var object = object();
        lines.addAll(barred("what", object, MOST_OBJECT, width));
        object.strange().values().stream()
                .limit(MOST_STRANGE)
                .forEach(s -> lines.addAll(own("", "not ASCII: " + s, width)));
        if (object.strange().size() > MOST_STRANGE) {
            int more = object.strange().size() - MOST_STRANGE;
            lines.addAll(own("", "not ASCII: " + more + " other characters", width));
        }
        gap(lines, roomy);
        lines.addAll(askers(width));
        lines.addAll(own("rule", question.rule().toString(), width));
        gap(lines, roomy);
        return lines;
    }

    private static void gap(List<String> lines, boolean roomy) {
        if (roomy) {
            lines.add("");
        }
    }

    private List<String> askers(int width) {
        var lines = new ArrayList<String>();
        if (lineage.isEmpty()) {
            lines.addAll(own("by", "cannot be said for certain", width));
        }
        for (int i = 0; i < lineage.size(); i++) {
            if (i == NEAREST && lineage.size() > NEAREST + 1) {
                int between = lineage.size() - NEAREST - 1;
                lines.addAll(own("", "(" + between + " more between)", width));
                i = lineage.size() - 1;
            }
            lines.addAll(barred(i == 0 ? "by" : "from", text(lineage.get(i)), MOST_COMMAND, width));
        }
        int more = question.askers().size() - 1;
        if (more > 0) {
            lines.addAll(own("", "and by " + more + " more at the same time", width));
        }
        return lines;
    }

    private Neutral text(Asker.Task task) {
        String command = task.command().stream().map(Prompt::word).collect(Collectors.joining(" "));
        String program = task.program().isEmpty() ? "?" : word(task.program());
        return Neutral.of(task.number() + " " + program + ": " + command, unicode);
    }

    /// A word that can be told from its neighbours.
    private static String word(String word) {
        String escaped = word.replace("\\", "\\\\").replace("'", "\\'");
        return word.isEmpty() || word.contains(" ") || word.contains("'")
                ? "'" + escaped + "'"
                : escaped;
    }

    /// Text of the agent. Of what is too long, the beginning and the end.
    private List<String> barred(String label, Neutral text, int most, int width) {
        int hidden = text.length() - most;
        if (hidden <= 0) {
            return bars(label, text, width);
        }
        int head = most / 4 * 3;
        var lines = new ArrayList<>(bars(label, text.part(0, head), width));
        lines.addAll(own("", "(" + hidden + " characters are not shown here)", width));
        lines.addAll(bars("", text.part(head + hidden, text.length()), width));
        return lines;
    }

    private List<String> bars(String label, Neutral text, int width) {
        int room = width - labelled("", width).length() - BAR.length();
        var lines = new ArrayList<String>();
        for (var line : text.lines(room)) {
            String before = labelled(lines.isEmpty() ? label : "", width);
            lines.add(paint.dim(before + BAR) + line.drawn(paint));
        }
        return lines;
    }

    /// Our own words.
    private List<String> own(String label, String text, int width) {
        int room = width - labelled("", width).length() - BAR.length();
        var lines = new ArrayList<String>();
        for (var line : Neutral.words(text, room)) {
            String before = labelled(lines.isEmpty() ? label : "", width);
            lines.add(paint.dim(before) + " ".repeat(BAR.length()) + line);
        }
        return lines;
    }

    private static String labelled(String label, int width) {
        return (width < NARROW ? "" : "  ") + String.format("%-5s", label);
    }

    private List<String> choices(int width, boolean roomy) {
        int others = question.others().getAsInt();
        String waiting = others == 0 ? "" : " (" + others + " more wait)";
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
