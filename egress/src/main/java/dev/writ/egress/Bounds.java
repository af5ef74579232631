// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import java.time.Duration;

/// How much of everything one session may have of its proxy, so that it cannot use up what others
/// need, and nothing waits for ever.
///
/// @param connections at the same time, and streams of HTTP/2 in them
/// @param headBytes of a request: its first line and its headers
/// @param firstBytes how long a connection may say nothing, or not yet enough to be told by
/// @param head how long a request may take to say what it wants
/// @param resolve how long a name may take to be resolved
/// @param connect how long a server may take to accept
/// @param idleRequests how long nothing may happen on a connection that carries requests
/// @param idleTunnel how long nothing may happen on one that carries whatever bytes
/// @param requestsPerMinute in any minute; 0 for any number
/// @param bytes up and down, of all connections together; 0 for any number
/// @param bytesPerDestination the same, of all connections to one host and port
public record Bounds(
        int connections,
        int headBytes,
        Duration firstBytes,
        Duration head,
        Duration resolve,
        Duration connect,
        Duration idleRequests,
        Duration idleTunnel,
        int requestsPerMinute,
        long bytes,
        long bytesPerDestination) {
    public static final Bounds DEFAULT =
            new Bounds(
                    512,
                    16 * 1024,
                    Duration.ofSeconds(30),
                    Duration.ofSeconds(15),
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(10),
                    Duration.ofMinutes(5),
                    Duration.ofHours(2),
                    0,
                    0,
                    0);

    public Bounds withConnections(int most) {
        return new Bounds(
                most,
                headBytes,
                firstBytes,
                head,
                resolve,
                connect,
                idleRequests,
                idleTunnel,
                requestsPerMinute,
                bytes,
                bytesPerDestination);
    }

    public Bounds withTimes(Duration firstBytes, Duration head, Duration connect) {
        return new Bounds(
                connections,
                headBytes,
                firstBytes,
                head,
                resolve,
                connect,
                idleRequests,
                idleTunnel,
                requestsPerMinute,
                bytes,
                bytesPerDestination);
    }

    public Bounds withIdle(Duration requests, Duration tunnel) {
        return new Bounds(
                connections,
                headBytes,
                firstBytes,
                head,
                resolve,
                connect,
                requests,
                tunnel,
                requestsPerMinute,
                bytes,
                bytesPerDestination);
    }

    public Bounds withAmounts(int requestsPerMinute, long bytes, long bytesPerDestination) {
        return new Bounds(
                connections,
                headBytes,
                firstBytes,
                head,
                resolve,
                connect,
                idleRequests,
                idleTunnel,
                requestsPerMinute,
                bytes,
                bytesPerDestination);
    }
}
