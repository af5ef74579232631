// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.oracle;

import java.util.Locale;

/// A place of the host that listens for the nonce of a case.
public enum Ear {
    TCP,
    TCP6,
    UDP,
    /// The other end of the leaked socket.
    LEAKED,
    /// The host's own connection to a port of the probe.
    INBOUND,
    UNIX,
    UNIX_RO,
    UNIXD,
    ABS,
    ABSD,
    DNSSTUB,
    /// A server that nobody may reach.
    EVIL,
    /// The server that may be reached: not with TLS, though there is nothing else there.
    GOOD_PLAIN,
    /// With TLS for somebody else.
    GOOD_SNI,
    /// With another method than the one that is written first.
    GOOD_OVERRIDE,
    /// With another host.
    GOOD_HOSTMIX,
    /// With a path that is not granted.
    GOOD_ADMIN;

    public String spelling() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
