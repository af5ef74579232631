// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.pattern;

import java.util.List;
import java.util.Set;

/// What a wildcard may stand for. It tells a [Search] which segments to try; matching does not need
/// it.
public enum Domain {
    PATH("xyzabcdefghijklmnopqrstuvw0123456789_", List.of(), List.of(word("."), word(".."))),
    ARGUMENT("xyzabcdefghijklmnopqrstuvw0123456789_", List.of(""), List.of()),
    LABEL("xyzabcdefghijklmnopqrstuvw", List.of(), List.of()),
    PORT("", List.of(), List.of()),
    ADDRESS("", List.of(), List.of()),
    SCHEME("", List.of("http", "https", "ws", "wss"), List.of()),
    METHOD("XYZABCDEFGHIJKLMNOPQRSTUVW", List.of(), List.of()),
    URL(
            "xyzabcdefghijklmnopqrstuvw0123456789_~",
            List.of(),
            List.of(word("."), word(".."), dotsThenParameters("."), dotsThenParameters(".."))),
    QUERY("xyzabcdefghijklmnopqrstuvw0123456789_~", List.of(""), List.of()),
    VARIABLE(
            "XYZABCDEFGHIJKLMNOPQRSTUVWxyzabcdefghijklmnopqrstuvw_0123456789",
            List.of(),
            List.of()),
    TOOL("xyzabcdefghijklmnopqrstuvw0123456789_", List.of(), List.of());

    private final String letters;
    private final List<String> samples;
    private final List<Glob> excluded;

    Domain(String letters, List<String> samples, List<Glob> excluded) {
        this.letters = letters;
        this.samples = samples;
        this.excluded = excluded;
    }

    /// Characters to build a segment from that nobody has mentioned; none where only samples make
    /// sense.
    String letters() {
        return letters;
    }

    /// Segments that must be tried because no letters lead to them.
    List<String> samples() {
        return samples;
    }

    /// Whether nothing but a sample or a segment in use is ever meant.
    boolean isClosed() {
        return this == SCHEME;
    }

    /// A segment that is not in `taken`, where letters do not make one.
    String fresh(Set<String> taken) {
        for (int i = 1; i < 65535; i++) {
            String segment = this == PORT ? "" + i : "192.0." + (2 + i / 256) + "." + i % 256;
            if (!taken.contains(segment)) {
                return segment;
            }
        }
        throw new IllegalStateException("every segment is taken");
    }

    /// What looks like a segment of this domain and is none.
    List<Glob> excluded() {
        return excluded;
    }

    private static Glob word(String text) {
        return new Glob(List.of(text));
    }

    private static Glob dotsThenParameters(String dots) {
        return new Glob(List.of(dots + ";", ""));
    }
}
