// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.oracle;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// A question about a finished run. The family is closed: what cannot be said with it is not asked.
public sealed interface Oracle
        permits Oracle.All, Oracle.Any, Oracle.Not, FileOracle, OutputOracle, HostOracle {
    /// Whether it is so.
    ///
    /// @throws IOException if the host cannot tell; that is never a pass
    boolean holds(Evidence evidence) throws IOException, InterruptedException;

    /// What it found, for a person.
    String finding();

    /// The files whose state before the run matters, with placeholders.
    default Set<String> watched() {
        return Set.of();
    }

    /// How long to wait for the run before the answer is clear, where `limit` is the usual time.
    default Duration patience(Duration limit) {
        return limit;
    }

    record All(List<Oracle> parts) implements Oracle {
        public All {
            parts = List.copyOf(parts);
        }

        @Override
        public boolean holds(Evidence evidence) throws IOException, InterruptedException {
            for (var part : parts) {
                if (!part.holds(evidence)) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public String finding() {
            return String.join(" and ", parts.stream().map(Oracle::finding).toList());
        }

        @Override
        public Set<String> watched() {
            return union(parts);
        }
    }

    record Any(List<Oracle> parts) implements Oracle {
        public Any {
            parts = List.copyOf(parts);
        }

        @Override
        public boolean holds(Evidence evidence) throws IOException, InterruptedException {
            for (var part : parts) {
                if (part.holds(evidence)) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public String finding() {
            return String.join(" or ", parts.stream().map(Oracle::finding).toList());
        }

        @Override
        public Set<String> watched() {
            return union(parts);
        }
    }

    record Not(Oracle part) implements Oracle {
        @Override
        public boolean holds(Evidence evidence) throws IOException, InterruptedException {
            return !part.holds(evidence);
        }

        @Override
        public String finding() {
            return "not (" + part.finding() + ")";
        }

        @Override
        public Set<String> watched() {
            return part.watched();
        }
    }

    private static Set<String> union(List<Oracle> parts) {
        var all = new TreeSet<String>();
        parts.forEach(p -> all.addAll(p.watched()));
        return all;
    }

    /// The place that `text` names in this run.
    static Path path(Evidence evidence, String text) {
        return Path.of(evidence.fill(text));
    }
}
