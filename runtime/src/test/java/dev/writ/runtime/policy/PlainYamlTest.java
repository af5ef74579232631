// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What the short way reads is what the whole of YAML says, or it reads nothing.
class PlainYamlTest {
    private static final String PLACE = "writ.yaml";

    private static final List<String> PIECES =
            List.of(
                    "allow",
                    "deny",
                    "version",
                    "extends",
                    "x",
                    ":",
                    ": ",
                    ":\n",
                    "\n",
                    "\n",
                    "\n  - ",
                    "\n  - ",
                    "\n  - ",
                    "\n- ",
                    "\n    - ",
                    "  ",
                    " ",
                    "- ",
                    "-",
                    "#",
                    " # c",
                    "\n# c\n",
                    "[",
                    "]",
                    ", ",
                    ",",
                    "1",
                    "a",
                    "read:/usr",
                    "write:**/.env",
                    "exec:git push",
                    "~",
                    "~/.ssh",
                    "*",
                    "&a",
                    "!t",
                    "'",
                    "\"",
                    "|",
                    ">",
                    "%",
                    "@",
                    "`",
                    "{",
                    "}",
                    "?",
                    "? ",
                    "---",
                    "...",
                    "\n---\n",
                    "\n...\n",
                    "\t",
                    "\r",
                    "\u0000",
                    "\u0085",
                    "\ufeff",
                    "null",
                    "=",
                    "<<",
                    "a: b",
                    "a:",
                    "..",
                    ".",
                    "/",
                    "+",
                    "0x1",
                    "\\");

    private static final String POLICY =
            """
            # why
            version: 1
            extends: [git, node]

            allow:
              - read:/usr
              # c
              - exec:git push

            deny:
              - write:**/.env
            """;

    static Stream<String> profiles() {
        return Stream.concat(Profiles.names().stream(), Stream.of(Profiles.GUARDS));
    }

    @ParameterizedTest
    @MethodSource("profiles")
    void reads_every_profile_as_the_whole_of_yaml_does(String name) {
        var text = Profiles.text(name).orElseThrow();

        assertThat(PlainYaml.read(text, PLACE)).isEqualTo(YamlReader.read(text, PLACE));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "# only this\n",
                "version: 1\n  - x\n",
                "allow:\n",
                "allow:\ndeny:\n  - read:/a\n",
                "allow:\n  - read:/a\n    b\n",
                "allow:\n  - read:/a\n - read:/b\n",
                "allow:\n  - read: /a\n",
                "allow:\n  - read:/a:\n",
                "allow:\n  - read:/a # why\n",
                "allow:\n  - *a\n",
                "allow:\n  - \"read:/a\"\n",
                "allow:\n  - read:/a \n",
                "allow:\n  - - a\n",
                "allow: [a]\nallow: [b]\n",
                "extends: []\n",
                "extends: [a,b]\n",
                "extends: [a, ]\n",
                "extends: [a b]\n",
                "version:  1\n",
                "version: 1\r\n",
                "version: 1\n---\n",
                "version: 1\n...\n",
                "version: 1\n# \u0007\n",
                "\ufeffversion: 1\n",
                "Version: 1\n",
                "version : 1\n",
            })
    void leaves_what_is_not_plain(String text) {
        assertThat(PlainYaml.read(text, PLACE)).isEmpty();
    }

    @Test
    void never_says_anything_else_than_the_whole_of_yaml() {
        var random = new Random(20_251);
        int read = 0;
        for (int i = 0; i < 60_000; i++) {
            var text = i % 2 == 0 ? pieces(random) : changedProfile(random);
            var plain = PlainYaml.read(text, PLACE);
            if (plain.isPresent()) {
                read++;
                assertThat(plain).as(text).isEqualTo(YamlReader.read(text, PLACE));
            }
        }
        assertThat(read).as("too few were read to say anything").isGreaterThan(1000);
    }

    private static String pieces(Random random) {
        var text = new StringBuilder(random.nextBoolean() ? "allow:\n  - a" : "");
        for (int n = random.nextInt(8); n >= 0; n--) {
            text.append(PIECES.get(random.nextInt(PIECES.size())));
        }
        return text.toString();
    }

    /// A short policy with a piece put in, or a character taken out, somewhere.
    private static String changedProfile(Random random) {
        var text = new StringBuilder(POLICY);
        for (int n = random.nextInt(2); n >= 0; n--) {
            int at = random.nextInt(text.length());
            if (random.nextInt(3) == 0) {
                text.deleteCharAt(at);
            } else {
                text.insert(at, PIECES.get(random.nextInt(PIECES.size())));
            }
        }
        return text.toString();
    }
}
