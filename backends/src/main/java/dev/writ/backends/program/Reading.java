// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import dev.writ.backends.program.Interpreter.Option;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/// How an interpreter reads its arguments: which words name files that it will run.
///
/// It errs on the side of too many: a word that may be a script, because nobody knows whether the
/// option before it takes a value, is one, and so perhaps is the next.
final class Reading {
    /// A word that names a script.
    ///
    /// @param arguments the words behind it
    record Named(String word, List<String> arguments) {}

    private final Interpreter interpreter;
    private final List<String> words;
    private final Predicate<String> isFile;
    private final List<Named> found = new ArrayList<>();
    private int at;
    private boolean maybeValue;
    private boolean hasCode;

    private Reading(Interpreter interpreter, List<String> words, Predicate<String> isFile) {
        this.interpreter = interpreter;
        this.words = words;
        this.isFile = isFile;
    }

    /// The scripts that `call` runs.
    ///
    /// @param isFile whether a word names a file at all; an interpreter may look further for one
    static List<Named> of(Interpreter.Call call, Predicate<String> isFile) {
        var reading = new Reading(call.interpreter(), call.arguments(), isFile);
        reading.read();
        return reading.found;
    }

    private void read() {
        boolean options = true;
        boolean done = false;
        for (; at < words.size() && !done; at++) {
            String word = words.get(at);
            if (options && (word.equals("--") || word.equals("-"))) {
                options = false;
            } else if (options && isOption(word)) {
                option(word);
            } else {
                done = script(word);
            }
        }
    }

    private boolean isOption(String word) {
        return word.startsWith("-") || (interpreter == Interpreter.SHELL && word.startsWith("+"));
    }

    /// Takes a word that is no option; whether the arguments of a script surely begin behind it.
    private boolean script(String word) {
        boolean isSure = !maybeValue;
        maybeValue = false;
        if (hasCode || !interpreter.takesScript()) {
            return isSure;
        }
        if (!isFile.test(word)) {
            return false;
        }
        name(word);
        return isSure;
    }

    private void option(String word) {
        int equals = word.indexOf('=');
        var known = interpreter.words.get(equals < 0 ? word : word.substring(0, equals));
        if (known == null && !word.startsWith("--")) {
            letters(word);
            return;
        }
        var option = known == null ? Option.UNKNOWN : known;
        if (equals < 0) {
            take(option);
        } else {
            take(option, word.substring(equals + 1));
        }
    }

    private void letters(String word) {
        var letters = interpreter.letters;
        for (int i = 1; i < word.length(); i++) {
            char letter = word.charAt(i);
            if (i + 1 == word.length()) {
                take(letters.option(letter));
            } else if (letters.takesRest(letter)) {
                var option = letters.option(letter);
                take(option, word.substring(i + 1));
                // In a shell `-oe` takes the next word.
                maybeValue = option == Option.UNKNOWN || interpreter == Interpreter.SHELL;
                return;
            } else {
                hasCode |= letters.option(letter) == Option.CODE;
            }
        }
    }

    /// Takes an option whose value, if it has one, is the next word.
    private void take(Option option) {
        switch (option) {
            case FLAG -> maybeValue = false;
            case UNKNOWN -> maybeValue = true;
            case VALUE, FILE, CODE -> {
                if (at + 1 < words.size()) {
                    at++;
                    take(option, words.get(at));
                }
            }
        }
    }

    private void take(Option option, String value) {
        maybeValue = false;
        hasCode |= option == Option.CODE;
        if (option == Option.FILE) {
            name(value);
        }
    }

    private void name(String word) {
        found.add(new Named(word, words.subList(at + 1, words.size())));
    }
}
