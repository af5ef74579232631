// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// A known program that runs the file it is given, and how it reads its options.
///
/// Only what takes a value, a file or code is listed exactly; an option that is not listed may take
/// the next word or not, and [Reading] then looks at both.
enum Interpreter {
    SHELL(
            "sh bash rbash dash ash hush zsh ksh mksh lksh pdksh oksh",
            new Letters("abefhiklmnprtuvxBCDEHPV", "oO", "", "", "cs"),
            Map.of(
                    "--rcfile", Option.FILE,
                    "--init-file", Option.FILE,
                    "-rcfile", Option.FILE,
                    "-init-file", Option.FILE,
                    "-restricted", Option.FLAG,
                    "--login", Option.FLAG,
                    "--norc", Option.FLAG,
                    "--noprofile", Option.FLAG,
                    "--posix", Option.FLAG)),
    FISH(
            "fish",
            new Letters("hilnNPv", "CdDfop", "", "", "c"),
            Map.of(
                    "--command", Option.CODE,
                    "--init-command", Option.VALUE,
                    "--debug", Option.VALUE,
                    "--debug-output", Option.VALUE,
                    "--features", Option.VALUE,
                    "--profile", Option.VALUE,
                    "--profile-startup", Option.VALUE)),
    PYTHON(
            "python pypy",
            new Letters("bBdEhiIOPqsSuvVx?", "WX", "", "", "cm"),
            Map.of("--check-hash-based-pycs", Option.VALUE)),
    PERL("perl", new Letters("acfnpsStTuUvwWX", "I", "0CdDFilmMxV", "", "eE"), Map.of()),
    RUBY(
            "ruby",
            new Letters("achlnpsSuUvwy", "CEIX", "0FiKTWx", "r", "e"),
            Map.of(
                    "--encoding", Option.VALUE,
                    "--external-encoding", Option.VALUE,
                    "--internal-encoding", Option.VALUE)),
    NODE(
            "node nodejs",
            new Letters("chiv", "C", "", "r", "ep"),
            Map.of(
                    "--require", Option.FILE,
                    "--import", Option.FILE,
                    "--loader", Option.FILE,
                    "--experimental-loader", Option.FILE,
                    "--conditions", Option.VALUE,
                    "--eval", Option.CODE,
                    "--print", Option.CODE)),
    PHP(
            "php",
            new Letters("aCehHiklmnqsvw", "BcdEgStz", "", "fF", "rR"),
            Map.of("--file", Option.FILE, "--run", Option.CODE)),
    LUA("lua luajit", new Letters("Eiv", "el", "W", "", ""), Map.of()),
    TCL("tclsh wish expect", new Letters("", "", "", "f", "c"), Map.of("-encoding", Option.VALUE)),
    AWK(
            "awk gawk mawk nawk",
            new Letters("bcghkMnNOPrsStV", "evFlW", "doDLp", "fEi", ""),
            Map.of(
                    "--file", Option.FILE,
                    "--exec", Option.FILE,
                    "--include", Option.FILE,
                    "--assign", Option.VALUE,
                    "--field-separator", Option.VALUE));

    /// What an option is followed by.
    enum Option {
        FLAG,
        /// A word that is no script.
        VALUE,
        /// A file that is run.
        FILE,
        /// Code, or a module: the first word that is no option is no script then.
        CODE,
        /// Perhaps a word that is no script.
        UNKNOWN
    }

    /// Options of one letter.
    ///
    /// @param values those that take a word: the rest of their own, or the next
    /// @param attached those that take the rest of their own word only
    record Letters(String flags, String values, String attached, String files, String code) {
        Option option(char letter) {
            if (has(code, letter)) {
                return Option.CODE;
            }
            if (has(files, letter)) {
                return Option.FILE;
            }
            if (has(values, letter)) {
                return Option.VALUE;
            }
            return has(flags, letter) || has(attached, letter) ? Option.FLAG : Option.UNKNOWN;
        }

        /// Whether the letters behind this one are its value, or may be.
        boolean takesRest(char letter) {
            return !has(flags, letter) && !has(code, letter);
        }

        private static boolean has(String letters, char letter) {
            return letters.indexOf(letter) >= 0;
        }
    }

    private static final Pattern PLAIN = Pattern.compile("[a-z]+");

    /// Programs that are what they are called, or what their first argument says.
    private static final List<String> MANY_IN_ONE = List.of("busybox", "toybox");

    private final List<String> programs;
    final Letters letters;
    final Map<String, Option> words;

    Interpreter(String programs, Letters letters, Map<String, Option> words) {
        this.programs = List.of(programs.split(" "));
        this.letters = letters;
        this.words = words;
    }

    /// An interpreter, and the arguments that are its own.
    record Call(Interpreter interpreter, List<String> arguments) {}

    /// Which interpreter a program is, by its name up to a version: `python3.12` is `python`.
    static Optional<Call> of(String program, String zeroth, List<String> arguments) {
        if (!MANY_IN_ONE.contains(plain(program))) {
            return named(program).map(i -> new Call(i, arguments));
        }
        String called = zeroth.substring(zeroth.lastIndexOf('/') + 1);
        if (!MANY_IN_ONE.contains(plain(called))) {
            return named(called).map(i -> new Call(i, arguments));
        }
        return arguments.isEmpty()
                ? Optional.empty()
                : named(arguments.getFirst())
                        .map(i -> new Call(i, arguments.subList(1, arguments.size())));
    }

    private static Optional<Interpreter> named(String program) {
        String plain = plain(program);
        return Arrays.stream(values()).filter(i -> i.programs.contains(plain)).findFirst();
    }

    private static String plain(String name) {
        var letters = PLAIN.matcher(name.startsWith("-") ? name.substring(1) : name);
        return letters.lookingAt() ? letters.group() : "";
    }

    /// Whether a word that is no option is a script, not code.
    boolean takesScript() {
        return this != AWK;
    }
}
