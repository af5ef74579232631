// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.corpus;

import java.util.List;

/// Cases that are tried under one policy.
///
/// @param policy the policy in prose, for whoever has to write it for another sandbox
/// @param rules the same for Writ; the texts hold `{ws}`, `{ro}`, `{out}` and `{home}`
public record Group(String letter, String title, String policy, Rules rules, List<Case> cases) {
    /// The rules of a Writ policy.
    public record Rules(List<String> allow, List<String> deny, List<String> limits) {
        public Rules {
            allow = List.copyOf(allow);
            deny = List.copyOf(deny);
            limits = List.copyOf(limits);
        }
    }

    public Group {
        cases = List.copyOf(cases);
    }
}
