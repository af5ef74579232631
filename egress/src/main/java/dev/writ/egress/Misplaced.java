// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.egress.secret.Sending;

/// A secret, or what stands for one, would get where it does not belong.
final class Misplaced extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient Sending.Refused refused;

    Misplaced(Sending.Refused refused) {
        super(refused.reason().sentence(), null, false, false);
        this.refused = refused;
    }

    Sending.Refused refused() {
        return refused;
    }
}
