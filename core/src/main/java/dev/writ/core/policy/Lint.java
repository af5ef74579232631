// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.policy;

import dev.writ.core.capability.HostPattern;
import dev.writ.core.capability.Net;
import dev.writ.core.capability.Scheme;
import dev.writ.core.capability.Text;
import dev.writ.core.pattern.PatternTree;
import dev.writ.core.pattern.PatternTree.Role;
import dev.writ.core.pattern.Search;
import java.util.ArrayList;
import java.util.List;

/// What is valid but probably not meant.
public final class Lint {
    /// Comparing every rule with every other is for policies that people write.
    private static final int MOST_RULES = 500;

    private Lint() {}

    /// One sentence each, with the place of the rule.
    public static List<String> warnings(Policy policy) {
        var warnings = new ArrayList<String>();
        var denied = new PatternTree();
        policy.rules().stream()
                .filter(r -> r.effect() == Effect.DENY)
                .flatMap(r -> r.capability().forbids().stream())
                .forEach(p -> denied.add(p, Role.DENY, 0));
        var undenied = Search.through(denied, walk -> walk.rule(Role.DENY) == PatternTree.NONE);
        for (var rule : policy.rules()) {
            if (rule.capability() instanceof Net net && !net.unusualMethods().isEmpty()) {
                warnings.add(
                        describe(rule)
                                + " names a method that is in no register: "
                                + String.join(", ", net.unusualMethods()));
            }
            if (policy.rules().size() > MOST_RULES
                    || rule.effect() == Effect.DENY
                    || rule.capability().grants().isEmpty()) {
                continue;
            }
            if (isDead(rule, undenied)) {
                warnings.add(describe(rule) + " has no effect: all of it is denied");
            }
        }
        policy.secrets().forEach(s -> secret(s, policy, warnings));
        return warnings;
    }

    private static void secret(SecretDefinition secret, Policy policy, List<String> warnings) {
        var to = secret.to();
        var place =
                policy.rules().stream()
                        .filter(r -> r.capability().equals(to))
                        .map(r -> r.source() + ": ")
                        .findFirst()
                        .orElse("");
        var name = place + "the secret `" + secret.name() + "` ";
        if (to.scheme() == Scheme.HTTP) {
            warnings.add(name + "is sent without encryption: its destination is `http://`");
        }
        if (to.host() instanceof HostPattern.Exact(var host)
                && Passage.of(policy, host, to.port()) == Passage.CLOSED) {
            warnings.add(name + "can never be used: no `net` rule leads to its destination");
        }
    }

    private static boolean isDead(Rule rule, Search undenied) {
        return rule.capability().grants().stream().allMatch(p -> undenied.find(p).isEmpty());
    }

    private static String describe(Rule rule) {
        return rule.source() + ": `" + Text.shown(rule.written()) + "`";
    }
}
