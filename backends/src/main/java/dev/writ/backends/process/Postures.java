// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.audit.Posture;
import dev.writ.core.audit.Posture.Enforcer;
import dev.writ.core.audit.Posture.Guarantee;
import dev.writ.core.policy.Policy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Set;

/// A plan as it stands in the record.
final class Postures {
    private static final int SIGNALS_SINCE = 6; // of Landlock

    private Postures() {}

    static Posture of(Plan plan, Facts facts, Policy policy, Set<String> acceptedWeaker) {
        var all = new ArrayList<Guarantee>();
        all.add(way("reads", plan.reads()));
        all.add(way("writes", plan.writes()));
        all.add(new Guarantee("attributes", Enforcer.BROKER, "the kernel has no rule for them"));
        all.add(new Guarantee("programs", Enforcer.BROKER, "judged before they run"));
        all.add(new Guarantee("network", Enforcer.BROKER, "refused but for what a rule names"));
        all.add(new Guarantee("system calls", Enforcer.KERNEL, "an allow list"));
        all.add(
                facts.landlock() >= SIGNALS_SINCE
                        ? new Guarantee("signals", Enforcer.KERNEL, "")
                        : new Guarantee("signals", Enforcer.NOBODY, "needs Landlock 6"));
        all.add(new Guarantee("limits", Enforcer.BROKER, "looked at while it runs"));
        var kernel = new LinkedHashMap<String, String>();
        kernel.put("release", System.getProperty("os.version", ""));
        kernel.put("architecture", System.getProperty("os.arch", ""));
        kernel.put("landlock", String.valueOf(facts.landlock()));
        kernel.put("notifications", String.valueOf(facts.notifications()));
        var accepted =
                plan.missing().stream()
                        .map(Plan.Missing::name)
                        .filter(acceptedWeaker::contains)
                        .toList();
        return new Posture(policy.isolation().toString(), all, accepted, kernel);
    }

    private static Guarantee way(String name, Plan.Way way) {
        return new Guarantee(name, way.brokered() ? Enforcer.BROKER : Enforcer.KERNEL, way.why());
    }
}
