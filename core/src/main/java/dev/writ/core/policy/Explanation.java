// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.policy;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.Scope;
import dev.writ.core.capability.Text;

/// A decision in words: which rule, why, and the narrowest change that would allow the action.
///
/// @param rule the deciding rule as text; empty if none decided
/// @param source where that rule stands; empty if none decided
/// @param suggestion empty if the action is allowed, or nothing would allow it
public record Explanation(
        String action,
        String decision,
        String rule,
        String source,
        String reason,
        String suggestion) {
    public static Explanation of(Policy policy, Action action) {
        return of(policy, action, policy.decide(action));
    }

    /// In words what `policy` has decided about `action` already.
    public static Explanation of(Policy policy, Action action, Decision decision) {
        return new Explainer(policy, action).explain(decision);
    }

    /// For a text that names no action in one clear way: denied, whatever the policy says.
    public static Explanation ofInvalid(String action, String reason) {
        return new Explanation(
                Text.shown(action),
                Effect.DENY.word(),
                "",
                "",
                "not one clear action: " + reason,
                "");
    }

    private record Explainer(Policy policy, Action action) {
        private Scope scope() {
            return policy.scope();
        }

        Explanation explain(Decision decision) {
            return switch (decision) {
                case Decision.Allow(var rule) -> with(decision, rule, "allowed by " + rule, "");
                case Decision.Ask(var rule) ->
                        with(
                                decision,
                                rule,
                                "the operator is asked, by " + rule,
                                "move that rule from `ask` to `allow` to stop being asked");
                case Decision.Denied(var rule) ->
                        with(
                                decision,
                                rule,
                                "denied by " + rule,
                                "remove or narrow that rule"
                                        + also()
                                        + "; a deny cannot be overruled");
                case Decision.Guarded(var guard) ->
                        with(
                                decision,
                                guard,
                                "guarded by " + guard + ", and no rule names this exact path",
                                "add `" + action.text(scope()) + "` to `allow`");
                case Decision.OverLimit(var limit) ->
                        with(decision, limit, "more than " + limit + " leaves", "raise that limit");
                case Decision.Beyond(var bound, var by) ->
                        new Explanation(
                                Text.shown(action.text(scope())),
                                decision.word(),
                                by.deciding().map(Rule::written).orElse(""),
                                bound.name(),
                                bound.refusal(by, action),
                                "use a token that includes it");
                case Decision.Unmatched unmatched ->
                        new Explanation(
                                Text.shown(action.text(scope())),
                                decision.word(),
                                "",
                                "",
                                "no rule allows it" + nearest(unmatched.nearest()),
                                isAbove()
                                        ? ""
                                        : "add `"
                                                + Text.shown(action.text(scope()))
                                                + "` to `allow`");
            };
        }

        /// Whether it is a folder that the policy's own lies in. Tools look at those on their way
        /// up, and a rule for one would allow all that is in it.
        private boolean isAbove() {
            return action instanceof Action.OnPath on
                    && scope().base().startsWith(on.path())
                    && !scope().base().equals(on.path());
        }

        private Explanation with(Decision decision, Rule rule, String reason, String suggestion) {
            return new Explanation(
                    Text.shown(action.text(scope())),
                    decision.word(),
                    rule.written(),
                    rule.source().toString(),
                    reason,
                    Text.shown(suggestion));
        }

        private String nearest(Decision.Nearest nearest) {
            return switch (nearest) {
                case Decision.Nearest.None _ -> "";
                case Decision.Nearest.Found(var rule, var part) ->
                        "; nearest is " + rule + misfit(part);
            };
        }

        private static String misfit(String part) {
            return part.equals("connection")
                    ? ", which grants inspected requests only"
                    : ", whose " + part + " does not fit";
        }

        /// If the denying rule were gone, would something still be missing?
        private String also() {
            boolean granted = policy.withoutDenies().decide(action) instanceof Decision.Allow;
            return granted ? "" : ", and add `" + action.text(scope()) + "` to `allow`";
        }
    }
}
