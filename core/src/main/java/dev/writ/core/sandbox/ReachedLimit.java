// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.sandbox;

import dev.writ.core.capability.Limit;
import dev.writ.core.policy.Rule;

/// A limit that a sandbox came up against.
///
/// @param rule which sets it
/// @param ended whether everything in the sandbox was ended for it; otherwise a call failed, and
/// the program went on
/// @param times how often
public record ReachedLimit(Rule rule, boolean ended, long times) {
    public Limit limit() {
        return (Limit) rule.capability();
    }

    /// What happened, by which rule, and what to do about it, on one line.
    public String line() {
        var name = limit().resource().word();
        return name
                + " of "
                + limit().printAmount()
                + (times == 1 ? "" : " (" + times + " times)")
                + ", by "
                + rule
                + (ended ? ": everything was ended" : ": calls that wanted more failed")
                + "; to change that: `limits: {"
                + name
                + ": "
                + limit().twice().printAmount()
                + "}`";
    }
}
