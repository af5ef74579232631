// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.policy;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.Limit;
import dev.writ.core.capability.WordReader;
import dev.writ.core.pattern.Pattern;
import dev.writ.core.pattern.Search;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What one policy grants beyond another. Exact: every widening is found, and every one comes with
/// an action that shows it.
///
/// @param widenings the rules of the newer policy that grant more, each with a witness
/// @param weakerIsolation whether the newer policy asks for less isolation
public record Diff(List<Widening> widenings, boolean weakerIsolation) {
    /// `rule` takes `witness` from one decision to a more generous one.
    ///
    /// @param before what the older policy says of the witness: deny or ask
    /// @param after what the newer one says: ask or allow
    public record Widening(Rule rule, Action witness, Effect before, Effect after) {}

    public Diff {
        widenings = List.copyOf(widenings);
    }

    public boolean isEmpty() {
        return widenings.isEmpty() && !weakerIsolation;
    }

    /// What `newer` grants that `older` does not.
    ///
    /// @throws dev.writ.core.pattern.UndecidedException if the policies cannot be compared within
    /// bounds
    public static Diff between(Policy older, Policy newer) {
        var widenings = new ArrayList<Widening>();
        var toAllow = search(older, newer, Effect.ALLOW);
        var toAsk = search(older, newer, Effect.ASK);
        for (var rule : newer.rules()) {
            // Any action that is newly granted is granted by some rule, so it is enough to search
            // rule by rule.
            if (rule.effect() != Effect.DENY) {
                witness(rule, toAllow)
                        .or(() -> witness(rule, toAsk))
                        .map(w -> widening(older, newer, rule, w))
                        .ifPresent(widenings::add);
            }
        }
        for (var resource : Limit.Resource.values()) {
            limit(older, newer, resource).ifPresent(widenings::add);
        }
        return new Diff(widenings, !newer.isolation().isAtLeast(older.isolation()));
    }

    private static Search search(Policy older, Policy newer, Effect wanted) {
        return Search.difference(
                older.tree(),
                newer.tree(),
                (before, after) ->
                        isWider(older.decisionOf(before), newer.decisionOf(after), wanted));
    }

    private static Optional<Action> witness(Rule rule, Search search) {
        for (Pattern pattern : rule.capability().grants()) {
            var word = search.find(pattern);
            if (word.isPresent()) {
                return word.map(WordReader::read);
            }
        }
        return Optional.empty();
    }

    private static Widening widening(Policy older, Policy newer, Rule rule, Action witness) {
        var before = level(older.decide(witness));
        var after = level(newer.decide(witness));
        if (before.compareTo(after) <= 0) {
            throw new IllegalStateException(
                    "the search and the policies disagree about " + witness);
        }
        return new Widening(rule, witness, before, after);
    }

    private static boolean isWider(
            @Nullable Decision before, @Nullable Decision after, Effect wanted) {
        return level(after) == wanted && level(before).compareTo(wanted) > 0;
    }

    private static Effect level(@Nullable Decision decision) {
        return switch (decision) {
            case Decision.Allow _ -> Effect.ALLOW;
            case Decision.Ask _ -> Effect.ASK;
            case Decision.Deny _ -> Effect.DENY;
            case null -> Effect.DENY;
        };
    }

    private static Optional<Widening> limit(Policy older, Policy newer, Limit.Resource resource) {
        if (newer.limit(resource) <= older.limit(resource)) {
            return Optional.empty();
        }
        var witness = new Action.Spend(new Limit(resource, older.limit(resource) + 1));
        if (newer.decide(witness) instanceof Decision.Allow(var rule)) {
            return Optional.of(new Widening(rule, witness, Effect.DENY, Effect.ALLOW));
        }
        throw new IllegalStateException("a higher limit does not allow more of " + resource.word());
    }
}
