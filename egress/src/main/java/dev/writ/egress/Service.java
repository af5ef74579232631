// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.broker.Reason;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.Host;
import dev.writ.core.capability.Scheme;
import dev.writ.core.policy.Passage;
import dev.writ.egress.secret.Secrets;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// What every connection of a session needs.
final class Service {
    private final Gate gate;
    private final Announcements announcements = new Announcements();
    private final Bounds bounds;
    private final Usage usage;
    private final Strangers strangers;
    private final Resolver resolver;
    private final Optional<Inspection> inspection;
    private final Optional<Secrets> secrets;
    private final Set<InetSocketAddress> own = ConcurrentHashMap.newKeySet();
    private final Dialer dialer = new Dialer(this);
    private final Map<EventLoop, KeptServers> kept = new ConcurrentHashMap<>();
    private final boolean judgesTools;

    Service(
            Gate gate,
            Outside outside,
            Optional<Inspection> inspection,
            Optional<Secrets> secrets) {
        this.gate = gate;
        this.resolver = outside.resolver();
        this.bounds = outside.bounds();
        this.inspection = inspection;
        this.secrets = secrets;
        this.usage = new Usage(bounds, this::limited);
        this.strangers = new Strangers(usage);
        this.judgesTools = Passage.judgesTools(gate.policy());
    }

    private void limited(Destination to, String why) {
        gate.refused(
                new Action.Connect(Scheme.TCP, to.host(), to.port()),
                new Reason(Refusals.LIMIT, why, ""));
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

    /// The connections that nobody uses for the moment, and that `loop` sees to.
    KeptServers kept(EventLoop loop) {
        return kept.computeIfAbsent(loop, KeptServers::new);
    }

    /// Who is connected, and has not shown the token.
    Strangers strangers() {
        return strangers;
    }

    /// Addresses that this proxy itself listens on: nothing goes there.
    Set<InetSocketAddress> own() {
        return own;
    }

    /// What looks into TLS; empty if no rule wants that.
    Optional<Inspection> inspection() {
        return inspection;
    }

    /// Whether somebody has to look for calls of tools in what is sent to `host`.
    boolean judgesTools(Host host) {
        return judgesTools && Passage.judgesTools(gate.policy(), host);
    }

    /// Whether rules forbid some of the tools of `host`, or ask.
    boolean restrictsTools(Host host) {
        return judgesTools && Passage.restrictsTools(gate.policy(), host);
    }

    /// Those of the session; empty if it has none.
    Optional<Secrets> secrets() {
        return secrets;
    }
}
