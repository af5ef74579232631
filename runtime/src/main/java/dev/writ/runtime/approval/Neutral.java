// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.approval;

import dev.writ.core.capability.Text;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/// Text of the agent, cut into pieces that can be shown to somebody who is about to decide: each is
/// one character that looks like itself, or one that does not, written as `\\u{HEX}`. Stricter than
/// [Text#shown]: nothing that runs from right to left, combines with its neighbour or is a space
/// that cannot be seen. Whoever hands over text doubles its backslashes, so that no text looks like
/// an escape that it is not.
///
/// @param pieces what is drawn, in order
/// @param strange the characters outside of ASCII that are drawn as themselves
public record Neutral(List<String> pieces, Map<String, String> strange) {
    private static final String ESCAPE = "\\u{";

    public Neutral {
        pieces = List.copyOf(pieces);
        strange = Collections.unmodifiableMap(new LinkedHashMap<>(strange));
    }

    /// @param unicode whether the terminal draws more than ASCII
    public static Neutral of(String text, boolean unicode) {
        var pieces = new ArrayList<String>();
        var strange = new LinkedHashMap<String, String>();
        int[] characters = text.codePoints().toArray();
        for (int i = 0; i < characters.length; i++) {
            int c = characters[i];
            if (c > '~' && unicode && isHarmless(c)) {
                pieces.add(Character.toString(c));
                strange.put(Character.toString(c), describe(c));
            } else if (c < ' ' || c > '~' || isHiddenSpace(characters, i)) {
                pieces.add(ESCAPE + Integer.toHexString(c) + "}");
            } else {
                pieces.add(Character.toString(c));
            }
        }
        return new Neutral(pieces, strange);
    }

    /// A space that has no neighbour on both sides to be seen between.
    private static boolean isHiddenSpace(int[] characters, int i) {
        return characters[i] == ' '
                && (i == 0 || i == characters.length - 1 || characters[i - 1] == ' ');
    }

    private static boolean isHarmless(int c) {
        String one = Character.toString(c);
        return Text.shown(one).equals(one)
                && switch (Character.getType(c)) {
                    case Character.NON_SPACING_MARK,
                            Character.ENCLOSING_MARK,
                            Character.COMBINING_SPACING_MARK,
                            Character.MODIFIER_LETTER,
                            Character.MODIFIER_SYMBOL ->
                            false;
                    default -> true;
                }
                && switch (Character.getDirectionality(c)) {
                    case Character.DIRECTIONALITY_LEFT_TO_RIGHT,
                            Character.DIRECTIONALITY_EUROPEAN_NUMBER,
                            Character.DIRECTIONALITY_EUROPEAN_NUMBER_SEPARATOR,
                            Character.DIRECTIONALITY_EUROPEAN_NUMBER_TERMINATOR,
                            Character.DIRECTIONALITY_COMMON_NUMBER_SEPARATOR,
                            Character.DIRECTIONALITY_OTHER_NEUTRALS ->
                            true;
                    default -> false;
                };
    }

    private static String describe(int c) {
        String name = Character.getName(c);
        return String.format(Locale.ROOT, "U+%04X", c)
                + (name == null ? "" : " " + name.toLowerCase(Locale.ROOT));
    }

    public int length() {
        return pieces.size();
    }

    /// The pieces `from` to `to`.
    Neutral part(int from, int to) {
        return new Neutral(pieces.subList(from, to), strange);
    }

    /// Lines of at most `width` cells. A character outside of ASCII counts as two, which is the
    /// most that any takes, so that no line ever runs over. A line never ends with a space.
    List<Neutral> lines(int width) {
        var lines = new ArrayList<Neutral>();
        int start = 0;
        int used = 0;
        for (int i = 0; i < pieces.size(); i++) {
            int cells = cells(pieces.get(i));
            if (used + cells > width && i > start) {
                int end = pieces.get(i - 1).equals(" ") && i - 1 > start ? i - 1 : i;
                lines.add(part(start, end));
                used = pieces.subList(end, i).stream().mapToInt(Neutral::cells).sum();
                start = end;
            }
            used += cells;
        }
        lines.add(part(start, pieces.size()));
        return lines;
    }

    /// Text of ours in lines of at most `width`, broken at spaces; what has none is broken
    /// anywhere.
    public static List<String> words(String text, int width) {
        var lines = new ArrayList<String>();
        var line = new StringBuilder();
        for (var word : text.split(" ")) {
            for (var part : of(word, false).lines(width)) {
                String piece = String.join("", part.pieces());
                if (!line.isEmpty() && line.length() + 1 + piece.length() > width) {
                    lines.add(line.toString());
                    line.setLength(0);
                }
                line.append(line.isEmpty() ? "" : " ").append(piece);
            }
        }
        lines.add(line.toString());
        return lines;
    }

    private static int cells(String piece) {
        return piece.charAt(0) > '~' ? 2 : piece.length();
    }

    /// Everything on one line; what is not plain ASCII stands out where there are colours.
    String drawn(Ink ink) {
        return pieces.stream()
                .map(p -> p.length() > 1 || p.charAt(0) > '~' ? ink.warning(p) : p)
                .collect(Collectors.joining());
    }
}
