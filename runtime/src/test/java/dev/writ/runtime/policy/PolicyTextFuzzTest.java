// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Random policies are read or refused with a place, never anything else.
class PolicyTextFuzzTest {
    private static final Scope SCOPE = new Scope(FilePath.of("/p"), FilePath.of("/h"), List.of());
    private static final List<String> PIECES =
            List.of(
                    "version: 1\n",
                    "allow:\n",
                    "  - read:.\n",
                    "deny: [",
                    "]",
                    "{",
                    "}",
                    "limits: ",
                    "secrets:\n",
                    "  a: {from: env:X, to: https://x}\n",
                    "isolation: ",
                    "against: [kernel-exploit]",
                    "- ",
                    ": ",
                    "&a ",
                    "*a",
                    "!!x ",
                    "|\n",
                    ">\n",
                    "'",
                    "\"",
                    "\n",
                    "  ",
                    "\t",
                    "#",
                    "---\n",
                    "...\n",
                    "%YAML 1.2\n",
                    "\u0000",
                    "\u202e",
                    "null",
                    "~",
                    "extends: ",
                    "base",
                    "? ",
                    "<<: ",
                    "read:/x",
                    "\ud800");

    @Test
    void random_text_is_read_or_refused_with_a_place() {
        for (int seed = 0; seed < 60_000; seed++) {
            var random = new Random(seed);
            var text = new StringBuilder();
            for (int i = random.nextInt(12); i >= 0; i--) {
                text.append(PIECES.get(random.nextInt(PIECES.size())));
            }
            var problems = new ArrayList<Problem>();

            PolicyText.read(text.toString(), "f", SCOPE, problems);

            assertThat(problems)
                    .as("seed " + seed)
                    .allMatch(
                            p ->
                                    p.source().line() >= 1
                                            && !p.message().isEmpty()
                                            && !p.toString().contains("\n"));
        }
    }
}
