// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.oracle;

import java.util.Arrays;
import java.util.regex.Pattern;

/// Questions about what the probe printed.
sealed interface OutputOracle extends Oracle {
    /// A line begins with `word`. Only for cases where the kernel's answer is the finding: a
    /// sandbox that echoes the word elsewhere in a line proves nothing.
    record Says(String word) implements OutputOracle {
        @Override
        public boolean holds(Evidence evidence) {
            return Pattern.compile("^" + Pattern.quote(word) + "\\b", Pattern.MULTILINE)
                    .matcher(evidence.output())
                    .find();
        }

        @Override
        public String finding() {
            return "the kernel let it through";
        }
    }

    /// A text, with placeholders, is in the output.
    record Shows(String text) implements OutputOracle {
        @Override
        public boolean holds(Evidence evidence) {
            return evidence.output().contains(evidence.fill(text));
        }

        @Override
        public String finding() {
            return "`" + text + "` is in the output";
        }
    }

    /// A secret is in the output.
    record Leaks(CanarySecret secret) implements OutputOracle {
        @Override
        public boolean holds(Evidence evidence) {
            return evidence.output().contains(evidence.secret(secret));
        }

        @Override
        public String finding() {
            return "the " + secret.spelling().replace('-', ' ') + " is in the output";
        }
    }

    /// The output has at least that many bytes.
    record Size(long bytes) implements OutputOracle {
        @Override
        public boolean holds(Evidence evidence) {
            return evidence.outputBytes() >= bytes;
        }

        @Override
        public String finding() {
            return "at least " + bytes + " bytes came out";
        }
    }

    /// The probe listed a descriptor beyond the standard three.
    record Descriptors() implements OutputOracle {
        @Override
        public boolean holds(Evidence evidence) {
            return evidence.output().lines().anyMatch(l -> l.matches("FD \\d+ .*"));
        }

        @Override
        public String finding() {
            return "descriptors of the launcher are open in the sandbox";
        }
    }

    /// The probe's dump of addresses is longer than that of a loopback device alone: at most 84
    /// bytes for 127.0.0.1 and as many for ::1, and at least 64 for every other address.
    record Interfaces() implements OutputOracle {
        private static final int LOOPBACK_ALONE = 180;

        @Override
        public boolean holds(Evidence evidence) {
            return evidence.output()
                    .lines()
                    .filter(l -> l.matches("ALLOWED \\d{1,9}"))
                    .mapToInt(l -> Integer.parseInt(l.substring("ALLOWED ".length())))
                    .anyMatch(n -> n > LOOPBACK_ALONE);
        }

        @Override
        public String finding() {
            return "addresses of the host are visible";
        }
    }

    static Oracle secretNamed(String name) {
        return Arrays.stream(CanarySecret.values())
                .filter(s -> s.spelling().equals(name))
                .findAny()
                .<Oracle>map(Leaks::new)
                .orElseThrow(() -> new UnknownOracleException("no such secret: `" + name + "`"));
    }
}
