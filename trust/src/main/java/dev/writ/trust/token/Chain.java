// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.token;

import dev.writ.core.policy.Policy;
import dev.writ.trust.biscuit.PublicKey;
import java.util.List;

/// The grants of a token whose signatures are good, first to last: each link is signed by the
/// holder of the one before. Whether it is still good is not said.
///
/// @param sealed whether nobody can add to it
record Chain(List<Link> links, boolean sealed) {
    /// @param giver who signed: the root, then each holder
    /// @param id by which it is revoked
    /// @param foreignId by which others revoke it
    record Link(
            Grant grant,
            PublicKey giver,
            String givenBy,
            String id,
            String foreignId,
            Rules rules) {}

    Chain {
        links = List.copyOf(links);
    }

    /// The rules of a grant, compiled when they are first asked for.
    interface Rules {
        Policy policy();
    }

    Grant last() {
        return links.getLast().grant();
    }
}
