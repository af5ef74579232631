// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.event;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

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
    WRITTEN;

    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Optional<EventKind> of(String word) {
        return Arrays.stream(values()).filter(k -> k.word().equals(word)).findFirst();
    }
}
