// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.approval;

import dev.writ.core.broker.Asker;
import dev.writ.core.capability.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// How a question reads. Text of the agent stands behind a bar and nowhere else, so that it cannot
/// be taken for ours; all of it is shown, or how much is not.
///
/// @param lineage who asks, itself first
/// @param unicode whether more than ASCII can be drawn
/// @param mostObject how many characters of what is asked for are shown
public record QuestionText(
        Question question, List<Asker.Task> lineage, boolean unicode, int mostObject, Ink ink) {
    private static final int MOST_COMMAND = 400;
    private static final int MOST_STRANGE = 4;
    private static final int NEAREST = 4;
    private static final int NARROW = 60;
    private static final String BAR = "| ";

    public QuestionText {
        lineage = List.copyOf(lineage);
    }

    /// What is asked for, all of it.
    public Neutral object() {
        return Neutral.of(question.action().text(Scope.SPELLED_OUT), unicode);
    }

    /// All that there is to say, in lines of at most `width` cells.
    ///
    /// @param roomy whether empty lines part it
    public List<String> body(int width, boolean roomy) {
        var lines = new ArrayList<String>();
        Neutral.words("writ: may this happen?", width).forEach(l -> lines.add(ink.bold(l)));
        gap(lines, roomy);
        var object = object();
        lines.addAll(barred("what", object, mostObject, width));
        object.strange().values().stream()
                .limit(MOST_STRANGE)
                .forEach(s -> lines.addAll(own("", "not ASCII: " + s, width)));
        if (object.strange().size() > MOST_STRANGE) {
            int more = object.strange().size() - MOST_STRANGE;
            lines.addAll(own("", "not ASCII: " + more + " other characters", width));
        }
        gap(lines, roomy);
        lines.addAll(askers(width));
        lines.addAll(circumstances(width));
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

    /// All of it: with the same words a program does something else in another folder.
    private List<String> circumstances(int width) {
        var around = question.circumstances();
        if (around.identity().isEmpty()) {
            return List.of();
        }
        var lines = new ArrayList<String>();
        lines.addAll(
                around.folder().isEmpty()
                        ? own("in", "cannot be said for certain", width)
                        : bars("in", Neutral.of(around.folder(), unicode), width));
        lines.addAll(bars("input", Neutral.of(around.input(), unicode), width));
        return lines;
    }

    private Neutral text(Asker.Task task) {
        String command =
                task.command().stream().map(QuestionText::word).collect(Collectors.joining(" "));
        String program = task.program().isEmpty() ? "?" : word(task.program());
        return Neutral.of(task.number() + " " + program + ": " + command, unicode);
    }

    /// A word that can be told from its neighbours.
    public static String word(String word) {
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
            lines.add(ink.dim(before + BAR) + line.drawn(ink));
        }
        return lines;
    }

    /// Our own words.
    private List<String> own(String label, String text, int width) {
        int room = width - labelled("", width).length() - BAR.length();
        var lines = new ArrayList<String>();
        for (var line : Neutral.words(text, room)) {
            String before = labelled(lines.isEmpty() ? label : "", width);
            lines.add(ink.dim(before) + " ".repeat(BAR.length()) + line);
        }
        return lines;
    }

    private static String labelled(String label, int width) {
        return (width < NARROW ? "" : "  ") + String.format("%-5s", label);
    }
}
