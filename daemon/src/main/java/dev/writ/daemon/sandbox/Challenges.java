// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.sandbox;

import dev.writ.runtime.SessionNames;
import dev.writ.runtime.SessionToken.Challenge;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// What holders of tokens are asked to sign before a sandbox is opened: each once, and not for
/// long.
public final class Challenges {
    private static final Duration LIFE = Duration.ofMinutes(1);
    private static final int MOST = 1000;

    /// @param until when it is too late to answer
    public record Made(Challenge challenge, Instant until) {}

    private final InstantSource clock;
    private final Map<String, Made> all = new LinkedHashMap<>(); // guarded by this

    public Challenges(InstantSource clock) {
        this.clock = clock;
    }

    /// A new one, for a session that is to be opened.
    ///
    /// @throws TooManyException if too many wait for an answer
    public synchronized Made make() {
        var now = clock.instant();
        all.values().removeIf(m -> !now.isBefore(m.until()));
        if (all.size() >= MOST) {
            throw new TooManyException(MOST + " challenges wait for an answer already");
        }
        var made = new Made(Challenge.of(SessionNames.next()), now.plus(LIFE));
        all.put(made.challenge().session().value(), made);
        return made;
    }

    /// The one for this session; nobody gets it again.
    public synchronized Optional<Challenge> take(String session) {
        return Optional.ofNullable(all.remove(session))
                .filter(m -> clock.instant().isBefore(m.until()))
                .map(Made::challenge);
    }
}
