// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.harness;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;

/// What a product offers to the cases that a command line cannot try. Found by name among the
/// service providers; a part that is not there leaves its cases pending.
///
/// The scripts of the groups E, L, T, M and N call these verbs by the names in their group's text.
public interface Harness {
    String name();

    /// The harness of that name, if one is on the module path.
    static Optional<Harness> find(String name) {
        return ServiceLoader.load(Harness.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(h -> h.name().equals(name))
                .findAny();
    }

    /// Group E.
    default Optional<Proxy> proxy() {
        return Optional.empty();
    }

    /// Group L.
    default Optional<Audit> audit() {
        return Optional.empty();
    }

    /// Group T.
    default Optional<Tokens> tokens() {
        return Optional.empty();
    }

    /// Group M.
    default Optional<Approvals> approvals() {
        return Optional.empty();
    }

    /// Group N.
    default Optional<Daemon> daemon() {
        return Optional.empty();
    }

    /// The egress proxy, with rules for `allowed.test` on ports 80 and 443.
    interface Proxy {
        String http();

        String socks();
    }

    /// The audit log.
    interface Audit {
        void write(Map<String, Object> event);

        String raw();

        void put(String bytes);

        boolean verify();

        String path();
    }

    /// Capability tokens.
    interface Tokens {
        String mint(List<String> capabilities, Duration life, String audience);

        String attenuate(String token, List<String> capabilities);

        boolean verify(String token, String request, Instant now, String session);
    }

    /// Questions to a person.
    interface Approvals {
        /// The exact text that a person sees.
        String render(
                List<String> command,
                String folder,
                Map<String, String> environment,
                String reason);

        void approve(String id);

        boolean execute(String id);

        List<String> pending();
    }

    /// The running daemon.
    interface Daemon {
        String address();

        String socket();

        void start(String policy);
    }
}
