// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.token;

import dev.writ.core.policy.Effect;
import dev.writ.trust.biscuit.PublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/// What one block of a token says: to whom, what, until when.
///
/// @param holder whose key makes use of it
/// @param name what the giver calls the holder
/// @param lines which actions, in capability strings without short forms
/// @param depth how often it may be given on from here
/// @param terms under which conditions
public record Grant(
        PublicKey holder,
        Optional<String> name,
        List<Line> lines,
        Instant issued,
        Instant expires,
        int depth,
        Terms terms) {
    /// No token lives longer.
    public static final Duration LONGEST = Duration.ofDays(366);

    /// How often a token can be given on at most.
    public static final int DEEPEST = 15;

    /// A capability, and what is said of it.
    public record Line(Effect effect, String capability) {}

    /// What it is bound to, as far as it is.
    ///
    /// @param purpose in words, for whoever reads it
    /// @param session the only one that it is good for
    /// @param audience the only one that may take it
    /// @param single for one use
    public record Terms(
            Optional<String> purpose,
            Optional<String> session,
            Optional<String> audience,
            Optional<Single> single) {
        public static final Terms NONE =
                new Terms(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    /// One use.
    ///
    /// @param nonce in hexadecimal, 16 bytes
    /// @param arguments SHA-256 of what the action is done with, in hexadecimal; empty if it does
    /// not matter
    public record Single(String nonce, Optional<String> arguments) {}

    public Grant {
        lines = List.copyOf(lines);
    }

    /// The holder as people are told: the name, and enough of the key.
    public String who() {
        String key = shortKey(holder);
        return name.map(n -> n + " (" + key + ")").orElse(key);
    }

    static String shortKey(PublicKey key) {
        return HexFormat.of().formatHex(key.bytes()).substring(0, 12);
    }
}
