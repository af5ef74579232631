// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.policy;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.Capability;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Kind;
import dev.writ.core.capability.Limit;
import dev.writ.core.capability.Scope;
import dev.writ.core.pattern.PatternTree;
import dev.writ.core.pattern.Walk;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The operator's rules, compiled. Deciding is a pure function; it may be called from any thread.
public final class Policy {
    /// The kinds of action on what has a path.
    private static final List<Kind> MOVED =
            List.of(Kind.READ, Kind.WRITE, Kind.EXEC, Kind.UNIX, Kind.DEVICE);

    private final Scope scope;
    private final List<Rule> rules;
    private final List<Rule> guards;
    private final List<SecretDefinition> secrets;
    private final Isolation isolation;
    private final Optional<FilePath> unguarded;
    private final List<Bound> bounds;
    private final List<Reach> reach = new ArrayList<>();
    /// By the rule itself: two that say the same may be treated alike, and need not be compared.
    private final IdentityHashMap<Rule, List<Capability>> aliases = new IdentityHashMap<>();
    private final Map<Limit.Resource, Rule> limits = new EnumMap<>(Limit.Resource.class);

    /// Made when it is first needed: a policy that others are made from may never decide itself.
    private volatile @Nullable RuleTree compiled;

    private Policy(
            Scope scope,
            List<Rule> rules,
            List<Rule> guards,
            List<SecretDefinition> secrets,
            Isolation isolation,
            Optional<FilePath> unguarded,
            List<Bound> bounds,
            Function<Rule, List<Capability>> alsoNamed) {
        this.scope = scope;
        this.rules = List.copyOf(rules);
        this.guards = List.copyOf(guards);
        this.secrets = List.copyOf(secrets);
        this.isolation = isolation;
        this.unguarded = unguarded;
        this.bounds = List.copyOf(bounds);
        this.rules.forEach(rule -> add(rule, alsoNamed));
        this.guards.forEach(guard -> aliases(guard, alsoNamed));
        for (var bound : this.bounds) {
            bound.policy().limits.values().forEach(this::limit);
        }
    }

    /// Compiles a policy.
    ///
    /// @param guards deny rules that yield to a rule which names the exact path
    /// @param alsoNamed other names under which the objects of a rule are known, such as the places
    /// that links lead to
    public static Policy of(
            Scope scope,
            List<Rule> rules,
            List<Rule> guards,
            List<SecretDefinition> secrets,
            Isolation isolation,
            Function<Rule, List<Capability>> alsoNamed) {
        return new Policy(
                scope, rules, guards, secrets, isolation, Optional.empty(), List.of(), alsoNamed);
    }

    /// Compiles rules and guards alone.
    public static Policy of(Scope scope, List<Rule> rules, List<Rule> guards) {
        return of(scope, rules, guards, List.of(), new Isolation.Auto(), _ -> List.of());
    }

    private void add(Rule rule, Function<Rule, List<Capability>> alsoNamed) {
        if (rule.capability() instanceof Limit) {
            limit(rule);
            return;
        }
        reach.add(new Reach(rule, rule.capability()));
        for (var capability : aliases(rule, alsoNamed)) {
            reach.add(new Reach(rule, capability));
        }
    }

    private void limit(Rule rule) {
        var resource = ((Limit) rule.capability()).resource();
        limits.merge(resource, rule, (a, b) -> amount(a) <= amount(b) ? a : b);
    }

    private List<Capability> aliases(Rule rule, Function<Rule, List<Capability>> alsoNamed) {
        return aliases.computeIfAbsent(rule, alsoNamed);
    }

    /// The same policy with more rules, which are known by no other names, and a folder in which no
    /// guard keeps from writing: one that nobody else ever looks into.
    public Policy plus(List<Rule> more, FilePath own) {
        return plus(
                more,
                Optional.of(own),
                bounds.stream().map(b -> new Bound(b.name(), b.policy().plus(more, own))).toList());
    }

    /// The same policy without what `deny` takes from it.
    public Policy minus(Rule deny) {
        if (deny.effect() != Effect.DENY) {
            throw new IllegalArgumentException("would take nothing: " + deny);
        }
        return plus(List.of(deny), unguarded, bounds);
    }

    private Policy plus(List<Rule> more, Optional<FilePath> free, List<Bound> narrower) {
        var all = new ArrayList<>(rules);
        all.addAll(more);
        return new Policy(
                scope,
                all,
                guards,
                secrets,
                isolation,
                free,
                narrower,
                rule -> aliases.getOrDefault(rule, List.of()));
    }

    /// The same policy, where `more` have to permit each action as well: the narrower of all.
    public Policy within(List<Bound> more) {
        var all = new ArrayList<>(bounds);
        all.addAll(more);
        return new Policy(
                scope,
                rules,
                guards,
                secrets,
                isolation,
                unguarded,
                all,
                rule -> aliases.getOrDefault(rule, List.of()));
    }

    /// Who has to permit each action besides these rules.
    public List<Bound> bounds() {
        return bounds;
    }

    /// This policy and those of its bounds. What speaks of rules and not of actions has to look at
    /// each of them: [#rules], [#guards] and [#reach] are those of the policy alone.
    public List<Policy> parts() {
        if (bounds.isEmpty()) {
            return List.of(this);
        }
        var all = new ArrayList<Policy>(List.of(this));
        bounds.forEach(b -> all.addAll(b.policy().parts()));
        return all;
    }

    /// The folder in which no guard keeps from writing.
    public Optional<FilePath> unguarded() {
        return unguarded;
    }

    private static long amount(Rule rule) {
        return ((Limit) rule.capability()).amount();
    }

    /// What the rules say about `action`: deny over ask over allow over default deny, whatever the
    /// order of the rules. Every bound has to permit it, too.
    public Decision decide(Action action) {
        if (action instanceof Action.Spend(var limit)) {
            return decideLimit(limit);
        }
        var own = decideAlone(action);
        return bounds.isEmpty() ? own : decideWithin(own, action);
    }

    /// The strictest of all. A rule that denies comes first, whoever wrote it: it names what it is
    /// about, which counts for copies and links. Then this policy's own words.
    private Decision decideWithin(Decision own, Action action) {
        if (own.isDenied()) {
            return own;
        }
        Decision first = own instanceof Decision.Deny ? own : null;
        Decision asked = own instanceof Decision.Ask ? own : null;
        for (var bound : bounds) {
            var decision = bound.policy().decide(action);
            if (decision instanceof Decision.Deny by) {
                if (by.isDenied()) {
                    return new Decision.Beyond(bound, by);
                }
                first = first == null ? new Decision.Beyond(bound, by) : first;
            } else if (decision instanceof Decision.Ask) {
                asked = asked == null ? decision : asked;
            }
        }
        return first != null ? first : asked != null ? asked : own;
    }

    /// What these rules say, whatever the bounds do.
    Decision decideAlone(Action action) {
        var decision = compiled().decide(action);
        return decision == null ? new Decision.Unmatched(this, action) : decision;
    }

    /// The decision for the word that `walk` has come along in this policy's tree; null if no rule
    /// speaks of it.
    @Nullable Decision decisionOf(Walk walk) {
        return compiled().decisionOf(walk);
    }

    private RuleTree compiled() {
        var ready = compiled;
        if (ready == null) {
            ready = new RuleTree(rules, guards, r -> aliases.getOrDefault(r, List.of()), unguarded);
            compiled = ready;
        }
        return ready;
    }

    private Decision decideLimit(Limit wanted) {
        var rule = limits.get(wanted.resource());
        if (rule == null) {
            var unlimited = new Limit(wanted.resource(), Limit.UNLIMITED);
            return new Decision.Allow(
                    new Rule(Effect.ALLOW, unlimited, unlimited.text(scope), Source.of("default")));
        }
        return rule.capability().covers(wanted)
                ? new Decision.Allow(rule)
                : new Decision.OverLimit(rule);
    }

    /// The allow or ask rule that gets furthest along the word of `action`, and the part of the
    /// action where it stops.
    Decision.Nearest nearest(Action action) {
        var word = action.word();
        int best = action.kind() == Kind.NET ? 2 : 1;
        Rule found = null;
        for (var rule : rules) {
            if (rule.effect() == Effect.DENY) {
                continue;
            }
            for (var pattern : rule.capability().grants()) {
                int progress = pattern.progress(word);
                if (progress > best) {
                    best = progress;
                    found = rule;
                }
            }
        }
        if (found != null) {
            return new Decision.Nearest.Found(found, action.part(best));
        }
        if (action instanceof Action.WriteFile(var path)
                && decide(new Action.ReadFile(path)) instanceof Decision.Allow(var rule)) {
            return new Decision.Nearest.Found(rule, "kind");
        }
        return new Decision.Nearest.None();
    }

    /// Every rule of its own, those that `secrets` imply included, guards not.
    public List<Rule> rules() {
        return rules;
    }

    public List<Rule> guards() {
        return guards;
    }

    /// A rule and what it speaks of, under one of its names.
    ///
    /// @param capability the rule's own, or the same right under a name that links lead to
    public record Reach(Rule rule, Capability capability) {}

    /// What the rules speak of, under all its names; guards and limits not.
    public List<Reach> reach() {
        return Collections.unmodifiableList(reach);
    }

    /// Whether everything below `one` is decided as the same path below `other` is, so that a
    /// folder that moves from one to the other takes nothing along and leaves nothing behind.
    public boolean treatsAlike(FilePath one, FilePath other) {
        return MOVED.stream().allMatch(k -> tree().goesOnAlike(below(k, one), below(k, other)))
                && bounds.stream().allMatch(b -> b.policy().treatsAlike(one, other));
    }

    private static List<String> below(Kind kind, FilePath folder) {
        var word = new ArrayList<String>(folder.segments().size() + 1);
        word.add(kind.word());
        word.addAll(folder.segments());
        return word;
    }

    public List<SecretDefinition> secrets() {
        return secrets;
    }

    public Isolation isolation() {
        return isolation;
    }

    public Scope scope() {
        return scope;
    }

    /// The limit on `resource`, the lowest of all; [Limit#UNLIMITED] if there is none.
    public long limit(Limit.Resource resource) {
        var rule = limits.get(resource);
        return rule == null ? Limit.UNLIMITED : amount(rule);
    }

    /// The rule that limits `resource`, if there is one.
    public Optional<Rule> limitRule(Limit.Resource resource) {
        return Optional.ofNullable(limits.get(resource));
    }

    /// The same policy with its deny rules taken out: what would hold if none of them stood.
    Policy withoutDenies() {
        var others = rules.stream().filter(r -> r.effect() != Effect.DENY).toList();
        return new Policy(
                scope, others, guards, secrets, isolation, unguarded, bounds, _ -> List.of());
    }

    PatternTree tree() {
        return compiled().tree();
    }
}
