// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import dev.writ.core.pattern.PatternTree;

/// One capability against one action, through the matcher that policies use.
final class Grants {
    private Grants() {}

    static boolean covers(Capability capability, Action action) {
        if (capability instanceof Limit limit) {
            return action instanceof Action.Spend(var wanted) && limit.covers(wanted);
        }
        var tree = new PatternTree();
        capability.grants().forEach(p -> tree.add(p, PatternTree.Role.ALLOW, 0));
        var walk = tree.walk();
        action.spell(walk);
        return walk.rule(PatternTree.Role.ALLOW) != PatternTree.NONE;
    }
}
