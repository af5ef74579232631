// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import java.util.ArrayList;
import java.util.List;

/// Reads and writes the words of a command line: separated by spaces, in double quotes where
/// needed.
final class Words {
    /// A word, escaped as [Segments] reads it.
    record Word(String text, int offset) {}

    private final String text;
    private final int offset;
    private int at;

    private Words(String text, int offset) {
        this.text = text;
        this.offset = offset;
    }

    static List<Word> split(String text, int offset) {
        return new Words(text, offset).words();
    }

    private List<Word> words() {
        var words = new ArrayList<Word>();
        while (at < text.length()) {
            if (text.charAt(at) == ' ') {
                at++;
                continue;
            }
            int start = offset + at;
            words.add(new Word(text.charAt(at) == '"' ? quoted() : plain(), start));
            if (at < text.length() && text.charAt(at) != ' ') {
                throw SyntaxException.at(
                        offset + at, "a space must follow a quoted word", "quote the whole word");
            }
        }
        return words;
    }

    private String plain() {
        int start = at;
        while (at < text.length() && text.charAt(at) != ' ') {
            if (text.charAt(at) == '"') {
                throw SyntaxException.at(
                        offset + at,
                        "a quote stands within a word",
                        "quote the whole word, with `\\\"` inside");
            }
            at += text.charAt(at) == '\\' ? 2 : 1;
        }
        at = Math.min(at, text.length());
        return text.substring(start, at);
    }

    private String quoted() {
        int start = at++;
        var word = new StringBuilder();
        while (at < text.length() && text.charAt(at) != '"') {
            char c = text.charAt(at++);
            word.append(c == '\\' ? unescape() : String.valueOf(c));
        }
        if (at >= text.length()) {
            throw SyntaxException.at(
                    offset + start, "the quote is not closed", "end the word with `\"`");
        }
        at++;
        return Segments.escape(word.toString());
    }

    private String unescape() {
        char c = at < text.length() ? text.charAt(at++) : ' ';
        return switch (c) {
            case '"', '\\' -> String.valueOf(c);
            case 'n' -> "\n";
            case 'r' -> "\r";
            case 't' -> "\t";
            case 'u' -> codePoint();
            default ->
                    throw SyntaxException.at(
                            offset + at - 1,
                            "unknown escape in quotes",
                            "the escapes are \\\" \\\\ \\n \\r \\t \\u{HEX}");
        };
    }

    private String codePoint() {
        int close = text.indexOf('}', at);
        if (at < text.length() && text.charAt(at) == '{' && close > at + 1 && close <= at + 7) {
            try {
                String result = Character.toString(Integer.parseInt(text, at + 1, close, 16));
                if (!result.equals("\0")) {
                    at = close + 1;
                    return result;
                }
            } catch (IllegalArgumentException e) {
                // not a number or not a character: reported below
            }
        }
        throw SyntaxException.at(
                offset + at, "`\\u` must be followed by `{HEX}`", "write `\\u{a}` for a line feed");
    }

    /// `word` so that [#split] reads it back as exactly this text.
    static String quote(String word) {
        boolean plain =
                !word.isEmpty()
                        && word.chars().noneMatch(c -> c == ' ' || c == '"' || Text.isControl(c))
                        && Segments.escape(word).equals(word);
        if (plain) {
            return word;
        }
        var out = new StringBuilder("\"");
        for (int i = 0; i < word.length(); i++) {
            char c = word.charAt(i);
            switch (c) {
                case '"', '\\' -> out.append('\\').append(c);
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default ->
                        out.append(
                                Text.isControl(c)
                                        ? "\\u{" + Integer.toHexString(c) + "}"
                                        : String.valueOf(c));
            }
        }
        return out.append('"').toString();
    }
}
