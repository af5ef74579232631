// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.policy;

import dev.writ.core.capability.Capability;
import dev.writ.core.policy.Bound;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Isolation;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Rule;
import dev.writ.trust.token.VerifiedToken;
import java.util.List;

/// A policy and a token: what both permit.
public final class TokenBounds {
    private TokenBounds() {}

    /// `policy`, where every block of `token` has to permit an action as well.
    public static Policy narrow(Policy policy, VerifiedToken token) {
        var links = new Links();
        return policy.within(
                token.bounds().stream()
                        .map(b -> new Bound(b.name(), followed(b.policy(), policy, links)))
                        .toList());
    }

    /// The same rules, which hold for what links lead to as well. What grants follows only links
    /// that nobody under `policy` can have made, with a token or without.
    private static Policy followed(Policy block, Policy policy, Links links) {
        return Policy.of(
                block.scope(),
                block.rules(),
                List.of(),
                List.of(),
                new Isolation.Auto(),
                rule -> throughLinks(rule, policy, links));
    }

    private static List<Capability> throughLinks(Rule rule, Policy policy, Links links) {
        return rule.capability()
                .throughLinks(
                        path ->
                                rule.effect() == Effect.DENY
                                        ? links.resolve(path)
                                        : links.resolveTrusted(path, () -> policy));
    }
}
