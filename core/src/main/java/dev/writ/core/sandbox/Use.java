// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.sandbox;

import dev.writ.core.capability.Limit;
import dev.writ.core.capability.Limit.Resource;
import dev.writ.core.policy.Rule;

/// How much of a limit is used.
///
/// @param rule which sets it
/// @param used in the unit of the limit
public record Use(Rule rule, long used) {
    public Limit limit() {
        return (Limit) rule.capability();
    }

    /// Whether there is nothing left.
    public boolean isSpent() {
        return used >= limit().amount();
    }

    /// What is used by which rule, and what to do about it, on one line.
    public String line() {
        var limit = limit();
        var resource = limit.resource();
        boolean returns = resource == Resource.PROCS;
        return resource.word()
                + " of "
                + limit.printAmount()
                + ", by "
                + rule
                + ": "
                + new Limit(resource, used).printAmount()
                + (returns ? " run in this session already" : " are used up by this session")
                + "; "
                + (returns ? "wait until some have ended, " : "")
                + "open another sandbox, or widen it: `limits: {"
                + resource.word()
                + ": "
                + limit.twice().printAmount()
                + "}`";
    }
}
