// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import dev.writ.core.sandbox.Proxy;
import dev.writ.egress.Egress;
import java.net.InetSocketAddress;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/// Where a host sends the requests that it makes for the agent, so that they are judged and
/// recorded like those of its programs: a proxy, as HTTP has them.
///
/// @param token which the proxy wants to see as `Proxy-Authorization: Bearer`
/// @param trust whom to believe at the other end
public record Outlet(InetSocketAddress address, String token, SSLContext trust) {
    /// Empty if `proxy` leads nowhere.
    static Optional<Outlet> of(Proxy proxy) {
        if (!(proxy instanceof Egress egress)) {
            return Optional.empty();
        }
        var explicit = egress.explicit();
        return Optional.of(new Outlet(explicit.address(), explicit.token(), egress.trust()));
    }

    /// The token is a secret.
    @Override
    public String toString() {
        return "Outlet[" + address + "]";
    }
}
