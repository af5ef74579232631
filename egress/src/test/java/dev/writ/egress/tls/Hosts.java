// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.tls;

import dev.writ.core.capability.Capability;
import dev.writ.core.capability.Host;
import dev.writ.core.capability.HostPattern;
import dev.writ.core.capability.Net;
import dev.writ.core.capability.Scope;

/// Hosts for tests, read as in a policy.
final class Hosts {
    private Hosts() {}

    static HostPattern pattern(String text) {
        return ((Net) Capability.parse("net:" + text + ":443", Scope.SPELLED_OUT)).host();
    }

    static Host host(String text) {
        return ((HostPattern.Exact) pattern(text)).host();
    }
}
