// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.backends.process.Facts.Kind;
import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Policy;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.WeakHashMap;

/// Plans that have been made. A plan follows from the policy and from the facts that were asked
/// for, so it is good for as long as these are the same; they are asked for again each time. Only
/// what upper and lower case mean is not: nobody in a sandbox can change that.
final class Plans {
    private final Map<Policy, Made> made = Collections.synchronizedMap(new WeakHashMap<>());

    private record Made(
            Plan plan,
            boolean replaced,
            int landlock,
            boolean notifications,
            Map<FilePath, Kind> kinds) {
        boolean holds(Facts facts, boolean nowReplaced) {
            if (landlock != facts.landlock()
                    || notifications != facts.notifications()
                    || replaced != nowReplaced) {
                return false;
            }
            for (var kind : kinds.entrySet()) {
                if (facts.kinds().apply(kind.getKey()) != kind.getValue()) {
                    return false;
                }
            }
            return true;
        }
    }

    /// What the planner says.
    Plan plan(Policy policy, Facts facts, boolean replaced) {
        var before = made.get(policy);
        if (before != null && before.holds(facts, replaced)) {
            return before.plan;
        }
        var kinds = new HashMap<FilePath, Kind>();
        var remembering =
                new Facts(
                        facts.landlock(),
                        facts.notifications(),
                        path -> kinds.computeIfAbsent(path, facts.kinds()),
                        facts.ofOneCase());
        var plan = Planner.plan(policy, remembering, replaced);
        made.put(policy, new Made(plan, replaced, facts.landlock(), facts.notifications(), kinds));
        return plan;
    }
}
