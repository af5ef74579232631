// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import dev.writ.core.audit.SessionId;
import dev.writ.trust.key.Chance;
import java.time.InstantSource;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.HexFormat;

/// Names for sessions: the time, so that they are in order, and something that nobody else has.
public final class SessionNames {
    private SessionNames() {}

    /// A name that no other session has, such as `20261115-160925-1f3a5c7e`.
    public static SessionId next() {
        long now = InstantSource.system().millis();
        var time = LocalDateTime.ofEpochSecond(now / 1000, 0, ZoneOffset.UTC);
        int day = time.getYear() * 10_000 + time.getMonthValue() * 100 + time.getDayOfMonth();
        int second = time.getHour() * 10_000 + time.getMinute() * 100 + time.getSecond();
        return new SessionId(
                day
                        + "-"
                        + String.valueOf(1_000_000 + second).substring(1)
                        + "-"
                        + HexFormat.of().formatHex(Chance.bytes(4)));
    }
}
