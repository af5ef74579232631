// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

/// Why something is refused that the policy has no part in: stable codes, see docs/egress.md.
final class Refusals {
    /// The name leads to an address that nobody named.
    static final String ADDRESS = "egress.address";

    /// What came is not TLS with the host that was permitted.
    static final String NOT_TLS = "egress.not-tls";

    /// It is TLS where no rule speaks of any.
    static final String NOT_INSPECTED = "egress.not-inspected";

    /// The program does not trust the session's authority.
    static final String NOT_TRUSTED = "egress.not-trusted";

    /// The session has had what it may have of its proxy.
    static final String LIMIT = "egress.limit";

    private Refusals() {}
}
