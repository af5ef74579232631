// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.oracle;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;

/// Questions about the canaries, the terminal and the clock of the host.
sealed interface HostOracle extends Oracle {
    record Heard(Ear ear) implements HostOracle {
        @Override
        public boolean holds(Evidence evidence) {
            return evidence.heard(ear);
        }

        @Override
        public String finding() {
            return "the canary `" + ear.spelling() + "` was reached";
        }

        static Heard named(String name) {
            return Arrays.stream(Ear.values())
                    .filter(e -> e.spelling().equals(name))
                    .findAny()
                    .map(Heard::new)
                    .orElseThrow(
                            () -> new UnknownOracleException("no such listener: `" + name + "`"));
        }
    }

    record CanaryGone() implements HostOracle {
        @Override
        public boolean holds(Evidence evidence) {
            return evidence.isCanaryGone();
        }

        @Override
        public String finding() {
            return "the canary process is gone";
        }
    }

    record CanaryNice(int niceness) implements HostOracle {
        @Override
        public boolean holds(Evidence evidence) throws IOException {
            return evidence.canaryNiceness() == niceness;
        }

        @Override
        public String finding() {
            return "the canary process has another priority";
        }
    }

    record CanaryOom(int adjustment) implements HostOracle {
        @Override
        public boolean holds(Evidence evidence) throws IOException {
            return evidence.canaryOomAdjustment() == adjustment;
        }

        @Override
        public String finding() {
            return "the canary process would be the first out of memory";
        }
    }

    record Typed(String text) implements HostOracle {
        @Override
        public boolean holds(Evidence evidence) throws IOException {
            return evidence.terminalInput().contains(evidence.fill(text));
        }

        @Override
        public String finding() {
            return "the terminal has input that nobody typed";
        }
    }

    record Displayed(String text) implements HostOracle {
        @Override
        public boolean holds(Evidence evidence) throws IOException {
            return evidence.terminalOutput().contains(evidence.fill(text));
        }

        @Override
        public String finding() {
            return "the terminal was written to";
        }
    }

    /// The run took longer than that many seconds.
    record Elapsed(int seconds) implements HostOracle {
        @Override
        public boolean holds(Evidence evidence) {
            return evidence.elapsed().compareTo(Duration.ofSeconds(seconds)) > 0;
        }

        @Override
        public Duration patience(Duration limit) {
            return Duration.ofSeconds(seconds + 1L);
        }

        @Override
        public String finding() {
            return "it was still there after " + seconds + " s";
        }
    }
}
