// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.launch;

import java.util.ArrayList;
import java.util.List;

/// Splits a command line into words as a shell does, with single and double quotes and backslashes,
/// and nothing else: no variables, no patterns, no substitution.
final class Words {
    private final String text;
    private final List<String> words = new ArrayList<>();
    private StringBuilder word = new StringBuilder();
    private boolean inWord;

    private Words(String text) {
        this.text = text;
    }

    /// @throws LauncherException if a quote is not closed
    static List<String> split(String text) {
        var words = new Words(text);
        words.run();
        return List.copyOf(words.words);
    }

    private void run() {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\'' || c == '"') {
                i = quoted(i, c);
            } else if (c == '\\' && i + 1 < text.length()) {
                add(text.charAt(++i));
            } else if (Character.isWhitespace(c)) {
                end();
            } else {
                add(c);
            }
        }
        end();
    }

    private int quoted(int start, char quote) {
        inWord = true;
        for (int i = start + 1; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == quote) {
                return i;
            }
            if (c == '\\'
                    && quote == '"'
                    && i + 1 < text.length()
                    && "\"\\".indexOf(text.charAt(i + 1)) >= 0) {
                c = text.charAt(++i);
            }
            add(c);
        }
        throw new LauncherException("a quote is not closed: `" + text + "`");
    }

    private void add(char c) {
        inWord = true;
        word.append(c);
    }

    private void end() {
        if (inWord) {
            words.add(word.toString());
            word = new StringBuilder();
            inWord = false;
        }
    }
}
