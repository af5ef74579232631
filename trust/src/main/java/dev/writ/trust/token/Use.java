// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.token;

import java.time.Instant;
import java.util.Optional;

/// When, where and for whom a token is used.
///
/// @param session the session that it is used in, if there is one yet
/// @param audience who is to take it; without it, the verifier under its own names
public record Use(Instant now, Optional<String> session, Optional<String> audience) {
    public static Use at(Instant now) {
        return new Use(now, Optional.empty(), Optional.empty());
    }

    public Use in(String session) {
        return new Use(now, Optional.of(session), audience);
    }
}
