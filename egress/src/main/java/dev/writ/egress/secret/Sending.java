// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.secret;

import dev.writ.core.broker.Reason;

/// What becomes of a request, as far as secrets are concerned.
public sealed interface Sending permits Sending.Refused, Exchange {
    /// It must not be sent.
    ///
    /// @param secret the name of the one that is the reason
    record Refused(String secret, Reason reason) implements Sending {}
}
