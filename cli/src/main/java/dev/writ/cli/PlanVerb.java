// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.backends.process.Plan;
import dev.writ.trust.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Says how a policy would be enforced here, and runs nothing.
final class PlanVerb implements Verb {
    @Override
    public Manual manual() {
        return new Manual(
                "plan",
                "how a policy would be enforced on this machine",
                "[FLAGS]",
                List.of("writ plan", "writ plan --policy ci.yaml --json"),
                PolicyOptions.and(BackendOptions.BACKEND, Option.JSON));
    }

    @Override
    public int run(Arguments arguments, World world) {
        arguments.refuseCommand();
        var policy = PolicyOptions.load(arguments, world);
        var backend = BackendOptions.backend(arguments, policy);
        var plan = backend.plan(policy);
        if (arguments.has(Option.JSON)) {
            world.out().println(json(backend.name(), plan));
        } else {
            world.out().println(world.paint().bold("backend    " + backend.name()));
            plan.lines().forEach(world.out()::println);
        }
        return plan.missing().isEmpty() ? ExitCode.OK : ExitCode.DIFFERENT;
    }

    private static String json(String backend, Plan plan) {
        var map = new LinkedHashMap<String, Object>();
        map.put("backend", backend);
        map.put("reads", way(plan.reads()));
        map.put("writes", way(plan.writes()));
        map.put(
                "kernel",
                plan.kernelRules().stream()
                        .map(
                                r -> {
                                    var rule = new LinkedHashMap<String, Object>();
                                    rule.put("path", r.path().toString());
                                    rule.put(
                                            "rights",
                                            r.rights().stream()
                                                    .map(x -> x.name().toLowerCase(Locale.ROOT))
                                                    .sorted()
                                                    .toList());
                                    return rule;
                                })
                        .toList());
        map.put("limits", plan.limits().stream().map(PlanVerb::bound).toList());
        map.put(
                "missing",
                plan.missing().stream()
                        .map(
                                m -> {
                                    var gap = new LinkedHashMap<String, Object>();
                                    gap.put("name", m.name());
                                    gap.put("what", m.what());
                                    gap.put("remedy", m.remedy());
                                    gap.put("acceptable", m.acceptable());
                                    return gap;
                                })
                        .toList());
        return Json.write(map);
    }

    private static Map<String, Object> bound(Plan.Bound bound) {
        var map = new LinkedHashMap<String, Object>();
        map.put("limit", bound.limit());
        map.put("source", bound.source());
        map.put("how", bound.how());
        return map;
    }

    private static Map<String, Object> way(Plan.Way way) {
        var map = new LinkedHashMap<String, Object>();
        map.put("by", way.brokered() ? "broker" : "kernel");
        map.put("why", way.why());
        return map;
    }
}
