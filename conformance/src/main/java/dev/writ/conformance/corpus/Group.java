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

        /// Whether some of them let something out.
        public boolean leadOut() {
            return allow.stream().anyMatch(Rules::isAboutNet);
        }

        /// The others.
        public Rules withoutNet() {
            return new Rules(allow.stream().filter(r -> !isAboutNet(r)).toList(), deny, limits);
        }

        private static boolean isAboutNet(String rule) {
            return rule.startsWith("net:");
        }
    }

    public Group {
        cases = List.copyOf(cases);
    }
}
