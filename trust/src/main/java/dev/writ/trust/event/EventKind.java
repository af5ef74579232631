// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.event;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/// What can happen, by the word for it in the JSON form.
public enum EventKind {
    OPENED,
    CLOSED,
    JUDGED,
    ASKED,
    ANSWERED,
    STARTED,
    EXITED,
    LIMIT,
    WEAKER,
    TOKEN_USED,
    TOKEN_REVOKED,
    EGRESS,
    WRITTEN,
    ANCHORED;

    private static final Map<String, EventKind> BY_WORD =
            Arrays.stream(values())
                    .collect(Collectors.toUnmodifiableMap(EventKind::word, Function.identity()));

    private final String word = name().toLowerCase(Locale.ROOT).replace('_', '-');

    public String word() {
        return word;
    }

    static Optional<EventKind> of(String word) {
        return Optional.ofNullable(BY_WORD.get(word));
    }
}
