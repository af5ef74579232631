// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

/// Why something is refused that the policy has no part in: stable codes, see docs/egress.md.
final class Refusals {
    /// The name leads to an address that nobody named.
    static final String ADDRESS = "egress.address";

    /// What came is not TLS with the host that was permitted.
    static final String NOT_TLS = "egress.not-tls";

    /// It is TLS, has to be looked at, and cannot be.
    static final String NOT_INSPECTED = "egress.not-inspected";

    private Refusals() {}
}
