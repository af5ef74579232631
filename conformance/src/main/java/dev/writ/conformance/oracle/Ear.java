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
    EVIL,
    EVIL_LOOPBACK,
    GOOD_SSH,
    GOOD_OVERRIDE,
    GOOD_HOSTMIX,
    GOOD_ADMIN;

    public String spelling() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
