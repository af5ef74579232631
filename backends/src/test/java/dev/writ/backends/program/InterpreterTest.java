// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The files here are `x.sh`, `y.sh` and `pipefail`; all other words name nothing.
class InterpreterTest {
    private static final List<String> FILES = List.of("x.sh", "y.sh", "pipefail");

    private static String scripts(String command) {
        var words = List.of(command.split(" "));
        var call =
                Interpreter.of(words.getFirst(), words.getFirst(), words.subList(1, words.size()));
        if (call.isEmpty()) {
            return "none";
        }
        return String.join(
                " ",
                Reading.of(call.get(), FILES::contains).stream()
                        .map(n -> n.word() + n.arguments())
                        .toList());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            value = {
                "sh x.sh                               | x.sh[]",
                "bash x.sh a y.sh                      | x.sh[a, y.sh]",
                "bash -eux x.sh                        | x.sh[]",
                "bash -o pipefail x.sh                 | x.sh[]",
                "bash -euo pipefail x.sh               | x.sh[]",
                "bash +O extglob -- x.sh               | x.sh[]",
                "bash --rcfile y.sh x.sh               | y.sh[x.sh] x.sh[]",
                "bash --init-file=y.sh x.sh            | y.sh[x.sh] x.sh[]",
                "bash --norc x.sh y.sh                 | x.sh[y.sh]",
                "sh - x.sh                             | x.sh[]",
                "rbash x.sh                            | x.sh[]",
                "ksh93 x.sh                            | x.sh[]",
                "fish -d 2 x.sh                        | x.sh[]",
                "busybox sh x.sh                       | x.sh[]",
                "busybox ash -e x.sh                   | x.sh[]",
                "python3.12 -W ignore -Xdev x.sh       | x.sh[]",
                "python3 -u x.sh y.sh                  | x.sh[y.sh]",
                "pypy3 x.sh                            | x.sh[]",
                "perl -w -I lib x.sh                   | x.sh[]",
                "perl -Ilib x.sh                       | x.sh[]",
                "perl -i x.sh                          | x.sh[]",
                "ruby -r y.sh x.sh                     | y.sh[x.sh] x.sh[]",
                "node --import y.sh x.sh a             | y.sh[x.sh, a] x.sh[a]",
                "node -r y.sh -e code                  | y.sh[-e, code]",
                "node -e code -r y.sh                  | y.sh[]",
                "node inspect x.sh                     | x.sh[]",
                "php -d a=b -f x.sh                    | x.sh[]",
                "lua5.4 -e code x.sh                   | x.sh[]",
                "tclsh8.6 -encoding utf-8 x.sh         | x.sh[]",
                "awk -f x.sh y.sh                      | x.sh[y.sh]",
                "mawk -F : -v a=b -fx.sh y.sh          | x.sh[y.sh]",
                "gawk --file=x.sh y.sh                 | x.sh[y.sh]",
            })
    void a_script_is_found(String command, String scripts) {
        assertThat(scripts(command)).isEqualTo(scripts);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "sh -c x.sh y.sh",
        "bash -ec x.sh y.sh",
        "bash -ce x.sh y.sh",
        "bash -o pipefail -c x.sh y.sh",
        "sh -s x.sh",
        "bash",
        "python3 -c x.sh y.sh",
        "python3 -m x.sh y.sh",
        "python3 -Im x.sh y.sh",
        "perl -e x.sh y.sh",
        "perl -ne x.sh y.sh",
        "node -p x.sh y.sh",
        "php -r x.sh y.sh",
        "awk x.sh y.sh",
        "busybox awk x.sh",
        "fish -c x.sh",
    })
    void code_is_no_script(String command) {
        assertThat(scripts(command)).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "cat x.sh",
        "env x.sh",
        "busybox cat x.sh",
        "busybox",
        "vim x.sh",
        "shasum x.sh",
        "git x.sh",
        "pythonic x.sh",
        "1 x.sh"
    })
    void other_programs_are_no_interpreters(String command) {
        assertThat(scripts(command)).isEqualTo("none");
    }

    /// Each of these looks at first like `-s` or `-c`, or like an option without a value.
    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            value = {
                "bash -restricted x.sh          | x.sh[]",
                "bash -rcfile /dev/null x.sh    | /dev/null[x.sh] x.sh[]",
                "bash -posix x.sh               | x.sh[]",
                "bash -oe pipefail x.sh         | pipefail[x.sh] x.sh[]",
                "perl -Mre x.sh                 | x.sh[]",
                "perl -mstrict x.sh             | x.sh[]",
                "python3 --new y.sh x.sh        | y.sh[x.sh] x.sh[]",
                "node --new y.sh x.sh pipefail  | y.sh[x.sh, pipefail] x.sh[pipefail]",
                "ruby -Z y.sh x.sh              | y.sh[x.sh] x.sh[]",
                "ruby -Zz y.sh x.sh             | y.sh[x.sh] x.sh[]",
                "sh nothing x.sh                | x.sh[]",
            })
    void a_script_does_not_hide_behind_an_option(String command, String scripts) {
        assertThat(scripts(command)).isEqualTo(scripts);
    }
}
