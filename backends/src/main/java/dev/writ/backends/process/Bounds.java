// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.capability.Limit;
import dev.writ.core.capability.Limit.Resource;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Rule;
import dev.writ.core.policy.Source;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.Limits;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// How much a sandbox may use, and by which rule: what the policy says, and where it says nothing,
/// so much of processes and memory that the machine does not notice if all of it is used.
final class Bounds {
    private static final long PROCESSES = 512;
    private static final long MEBIBYTE = 1 << 20;

    /// So many tasks more than processes, for the threads that a program has without being asked.
    private static final long THREADS = 64;

    private static final long THREADS_OF_EACH = 8;

    private final Map<Resource, Rule> rules = new EnumMap<>(Resource.class);

    private Bounds() {}

    /// @param available the memory that this machine has left, in bytes
    static Bounds of(Policy policy, long available) {
        var bounds = stated(policy);
        bounds.put(policy, Resource.PROCS, PROCESSES);
        bounds.put(
                policy,
                Resource.MEMORY,
                Math.max(MEBIBYTE, available / 4 * 3 / MEBIBYTE * MEBIBYTE));
        return bounds;
    }

    /// What the policy says, and nothing else.
    static Bounds stated(Policy policy) {
        var bounds = new Bounds();
        for (var resource : Resource.values()) {
            policy.limitRule(resource).ifPresent(rule -> bounds.rules.put(resource, rule));
        }
        return bounds;
    }

    private void put(Policy policy, Resource resource, long amount) {
        var limit = new Limit(resource, amount);
        rules.putIfAbsent(
                resource,
                new Rule(Effect.ALLOW, limit, limit.text(policy.scope()), Source.of("default")));
    }

    Optional<Rule> rule(Resource resource) {
        return Optional.ofNullable(rules.get(resource));
    }

    boolean has(Resource resource) {
        return rules.containsKey(resource);
    }

    /// The most of `resource`; [Limit#UNLIMITED] if there is no bound.
    long most(Resource resource) {
        var rule = rules.get(resource);
        return rule == null ? Limit.UNLIMITED : ((Limit) rule.capability()).amount();
    }

    /// The most of processes and threads together.
    long mostTasks() {
        long processes = Math.min(most(Resource.PROCS), Integer.MAX_VALUE);
        return THREADS + THREADS_OF_EACH * processes;
    }

    /// What holds, and how.
    List<Plan.Bound> planned() {
        return rules.values().stream()
                .map(
                        rule -> {
                            var limit = (Limit) rule.capability();
                            return new Plan.Bound(
                                    limit.resource().word() + "=" + limit.printAmount(),
                                    rule.source().toString(),
                                    how(limit.resource()));
                        })
                .toList();
    }

    private String how(Resource resource) {
        return switch (resource) {
            case MEMORY -> "looked at while it runs, for all processes together";
            case TIME -> "by a clock that nobody can set; then everything is ended";
            case CPU -> "looked at while it runs, with processes that have ended";
            case PROCS ->
                    "at each birth, with at most "
                            + mostTasks()
                            + " processes and threads together; one too many fails";
            case FILES -> "by the kernel, for each process; one too many fails";
            case DISK -> "by the kernel for each file; looked at while it runs for all together";
            case OUTPUT -> "counted on its way out";
        };
    }

    /// Lets the kernel enforce on a process and its descendants what it can by itself. They have no
    /// right to take that back.
    ///
    /// @return whether it does
    boolean setOn(Kernel kernel, int process) {
        return set(kernel, process, Limits.DESCRIPTORS, Resource.FILES)
                && set(kernel, process, Limits.FILE_SIZE, Resource.DISK);
    }

    private boolean set(Kernel kernel, int process, int limit, Resource resource) {
        return !has(resource) || Limits.lower(kernel, process, limit, most(resource)) >= 0;
    }
}
