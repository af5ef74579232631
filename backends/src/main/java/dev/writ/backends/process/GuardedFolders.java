// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.capability.Capability;
import dev.writ.core.capability.FilePath;
import dev.writ.core.pattern.Glob;
import dev.writ.core.pattern.Pattern.Item;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Rule;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.stream.Stream;

/// Names below which rules forbid to write, or ask first. Nothing but a folder may stand there:
/// `.git`, where `.git/hooks` must not be written, could be a link to a folder with hooks of its
/// own, or a file that says where git is to look. As for a guard, a rule that names the exact path
/// is an exception.
final class GuardedFolders {
    /// A name that no rule has: bytes that are no text become such.
    private static final String ANY_OTHER = "\uDCFF";

    private static final Map<Policy, GuardedFolders> MADE =
            Collections.synchronizedMap(new WeakHashMap<>());

    private final Policy unwritable;
    private final Optional<FilePath> unguarded;
    private final Set<FilePath> named = new HashSet<>();

    /// Names that a rule against writing mentions before its last one.
    private final Set<String> inner = new HashSet<>();

    private boolean hasInnerGlobs;

    private GuardedFolders(Policy policy) {
        this.unwritable = unwritable(policy);
        this.unguarded = policy.unguarded();
        Stream.concat(unwritable.rules().stream(), unwritable.guards().stream())
                .map(rule -> ((Capability.Write) rule.capability()).path().items())
                .forEach(items -> items.subList(0, items.size() - 1).forEach(this::note));
        for (var reach : policy.reach()) {
            if (reach.rule().effect() != Effect.DENY
                    && reach.capability() instanceof Capability.Write(var path)
                    && Planner.isTree(path)) {
                named.add(path.prefix());
            }
        }
    }

    /// What `policy` says; it is worked out once.
    static GuardedFolders of(Policy policy) {
        return MADE.computeIfAbsent(policy, GuardedFolders::new);
    }

    private void note(Item item) {
        if (item instanceof Item.Literal(var segment)) {
            inner.add(segment);
        } else if (item instanceof Item.One(var glob, _)) {
            hasInnerGlobs |= !glob.equals(Glob.ANY);
        }
    }

    boolean includes(FilePath path) {
        return mayBeMentioned(path)
                && unguarded.filter(path::startsWith).isEmpty()
                && !unwritable.treatsAlike(path, path.parent().resolve(ANY_OTHER))
                && !named.contains(path);
    }

    /// A quick no for most names: no rule mentions them on the way to something.
    private boolean mayBeMentioned(FilePath path) {
        return hasInnerGlobs
                || (!path.segments().isEmpty() && inner.contains(path.segments().getLast()));
    }

    private static Policy unwritable(Policy policy) {
        var rules =
                policy.reach().stream()
                        .filter(r -> r.rule().effect() != Effect.ALLOW)
                        .filter(r -> r.capability() instanceof Capability.Write)
                        .map(GuardedFolders::rule)
                        .toList();
        List<Rule> guards =
                policy.guards().stream()
                        .filter(g -> g.capability() instanceof Capability.Write)
                        .toList();
        return Policy.of(policy.scope(), rules, guards);
    }

    private static Rule rule(Policy.Reach reach) {
        var rule = reach.rule();
        return new Rule(rule.effect(), reach.capability(), rule.written(), rule.source());
    }
}
