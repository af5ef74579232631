// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.policy;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.Capability;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Limit;
import dev.writ.core.pattern.PatternTree;
import dev.writ.core.pattern.PatternTree.Role;
import dev.writ.core.pattern.PatternTree.Sign;
import dev.writ.core.pattern.Walk;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Rules and guards as one tree of patterns, and what each of them decides.
final class RuleTree {
    private final PatternTree tree = new PatternTree();
    private final List<Decision> allowed = new ArrayList<>();
    private final List<Decision> asked = new ArrayList<>();
    private final List<Decision> denied = new ArrayList<>();

    /// A walk that nobody uses at the moment, so that deciding need not allocate one.
    private final AtomicReference<@Nullable Walk> spare = new AtomicReference<>();

    /// @param aliases other names under which the objects of a rule are known
    RuleTree(
            List<Rule> rules,
            List<Rule> guards,
            Function<Rule, List<Capability>> aliases,
            Optional<FilePath> unguarded) {
        rules.forEach(rule -> add(rule, aliases.apply(rule)));
        guards.forEach(guard -> addGuard(guard, aliases.apply(guard)));
        unguarded.ifPresent(f -> Capability.write(f).forbids().forEach(tree::unguard));
        spare.set(tree.walk());
    }

    private void add(Rule rule, List<Capability> aliases) {
        int index = allowed.size();
        allowed.add(new Decision.Allow(rule));
        asked.add(new Decision.Ask(rule));
        denied.add(new Decision.Denied(rule));
        if (rule.capability() instanceof Limit) {
            return;
        }
        addPatterns(rule.effect(), rule.capability(), index);
        addNames(rule.effect(), rule.capability(), index);
        // What a link leads to is granted, but not named: a guard there stays.
        aliases.forEach(capability -> addPatterns(rule.effect(), capability, index));
    }

    private void addPatterns(Effect effect, Capability capability, int index) {
        switch (effect) {
            case ALLOW -> capability.grants().forEach(p -> tree.add(p, Role.ALLOW, index));
            case ASK -> {
                capability.grants().forEach(p -> tree.add(p, Role.ASK, index));
                capability.forbids().forEach(p -> tree.add(p, Role.ASK_BROADLY, index));
            }
            case DENY -> capability.forbids().forEach(p -> tree.add(p, Role.DENY, index));
        }
    }

    private void addNames(Effect effect, Capability capability, int index) {
        switch (effect) {
            case ALLOW -> capability.grants().forEach(p -> tree.name(p, Sign.NAMED_ALLOW, index));
            case ASK -> capability.grants().forEach(p -> tree.name(p, Sign.NAMED_ASK, index));
            case DENY -> {}
        }
    }

    private void addGuard(Rule guard, List<Capability> aliases) {
        int index = denied.size();
        denied.add(new Decision.Guarded(guard));
        guard.capability().forbids().forEach(p -> tree.guard(p, index));
        aliases.forEach(c -> c.forbids().forEach(p -> tree.guard(p, index)));
    }

    PatternTree tree() {
        return tree;
    }

    /// What the rules say about `action`; null if none speaks of it.
    @Nullable Decision decide(Action action) {
        Walk walk = spare.getAndSet(null);
        if (walk == null) {
            walk = tree.walk();
        } else {
            walk.restart();
        }
        action.spell(walk);
        var decision = decisionOf(walk);
        spare.set(walk);
        return decision;
    }

    /// The same for the word that `walk` has come along in this tree.
    @Nullable Decision decisionOf(Walk walk) {
        int deny = walk.rule(Role.DENY);
        if (deny != PatternTree.NONE) {
            return denied.get(deny);
        }
        int ask = walk.rule(Role.ASK);
        int allow = walk.rule(Role.ALLOW);
        int guard = walk.rule(Sign.GUARD);
        if (guard != PatternTree.NONE) {
            ask = walk.rule(Sign.NAMED_ASK);
            allow = walk.rule(Sign.NAMED_ALLOW);
            if (ask == PatternTree.NONE && allow == PatternTree.NONE) {
                return denied.get(guard);
            }
        }
        if (allow == PatternTree.NONE && ask == PatternTree.NONE) {
            return null;
        }
        int question = walk.rule(Role.ASK_BROADLY);
        if (question == PatternTree.NONE && allow != PatternTree.NONE) {
            return allowed.get(allow);
        }
        return asked.get(question == PatternTree.NONE ? ask : question);
    }
}
