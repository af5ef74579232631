// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.attest;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a predicate must have for anybody to make sense of it. Names that are not known here come
/// from a newer Writ and are passed over; nothing in them can take back what is said elsewhere.
final class Shape {
    private static final List<String> TEXTS =
            List.of(
                    "run.id",
                    "run.startedOn",
                    "run.finishedOn",
                    "run.outcome",
                    "runtime.id",
                    "runtime.version",
                    "isolation.backend",
                    "isolation.requested");
    private static final List<String> NUMBERS =
            List.of(
                    "counts.permitted",
                    "counts.refused",
                    "counts.asked",
                    "counts.processes",
                    "refused.leftOut",
                    "answers.leftOut",
                    "filesWritten.leftOut",
                    "egress.leftOut");
    private static final List<String> LISTS =
            List.of(
                    "isolation.guarantees",
                    "isolation.acceptedWeaker",
                    "limitsReached",
                    "refused.listed",
                    "answers.listed",
                    "filesWritten.listed",
                    "egress.listed",
                    "tokens",
                    "gaps");

    private static final String POLICY = "policy.digest.sha256";

    private Shape() {}

    static boolean isDigest(String text) {
        return text.matches("[0-9a-f]{64}");
    }

    static void check(Map<?, ?> predicate) {
        TEXTS.forEach(name -> require(predicate, name, String.class, "a text"));
        NUMBERS.forEach(name -> require(predicate, name, Long.class, "a number"));
        LISTS.forEach(name -> require(predicate, name, List.class, "a list"));
        if (!(find(predicate, POLICY) instanceof String digest) || !isDigest(digest)) {
            throw wrong(POLICY, "64 hexadecimal digits");
        }
        if (predicate.get("log") != null) {
            require(predicate, "log.origin", String.class, "a text");
            require(predicate, "log.checkpoint", String.class, "a text");
            require(predicate, "log.first", Long.class, "a number");
            require(predicate, "log.last", Long.class, "a number");
        }
    }

    private static void require(Map<?, ?> predicate, String name, Class<?> type, String what) {
        if (!type.isInstance(find(predicate, name))) {
            throw wrong(name, what);
        }
    }

    private static @Nullable Object find(Map<?, ?> predicate, String name) {
        @Nullable Object value = predicate;
        for (var part : name.split("\\.", -1)) {
            value = value instanceof Map<?, ?> map ? map.get(part) : null;
        }
        return value;
    }

    private static AttestationException wrong(String name, String what) {
        return new AttestationException(
                "signed, but not an attestation of a run: `" + name + "` must be " + what);
    }
}
