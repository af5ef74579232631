// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.audit.SessionId;
import dev.writ.core.broker.Broker;
import dev.writ.core.policy.Policy;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// What every connection of a session needs.
///
/// @param own addresses that this proxy itself listens on: nothing goes there
record Service(
        Gate gate,
        Announcements announcements,
        Bounds bounds,
        Usage usage,
        Resolver resolver,
        Set<InetSocketAddress> own) {
    static Service of(
            Policy policy,
            Broker broker,
            SessionId session,
            InstantSource clock,
            Resolver resolver,
            Bounds bounds) {
        return new Service(
                new Gate(policy, broker, session, clock),
                new Announcements(),
                bounds,
                new Usage(bounds),
                resolver,
                ConcurrentHashMap.newKeySet());
    }
}
