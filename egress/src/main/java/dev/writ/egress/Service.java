// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// What every connection of a session needs.
final class Service {
    private final Gate gate;
    private final Announcements announcements = new Announcements();
    private final Bounds bounds;
    private final Usage usage;
    private final Resolver resolver;
    private final Set<InetSocketAddress> own = ConcurrentHashMap.newKeySet();
    private final Dialer dialer = new Dialer(this);

    Service(Gate gate, Resolver resolver, Bounds bounds) {
        this.gate = gate;
        this.resolver = resolver;
        this.bounds = bounds;
        this.usage = new Usage(bounds);
    }

    Gate gate() {
        return gate;
    }

    Announcements announcements() {
        return announcements;
    }

    Bounds bounds() {
        return bounds;
    }

    Usage usage() {
        return usage;
    }

    Resolver resolver() {
        return resolver;
    }

    Dialer dialer() {
        return dialer;
    }

    /// Addresses that this proxy itself listens on: nothing goes there.
    Set<InetSocketAddress> own() {
        return own;
    }

    /// What looks into TLS; empty if nothing can.
    Optional<Inspection> inspection() {
        return Optional.empty();
    }
}
