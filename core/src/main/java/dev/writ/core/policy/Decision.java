// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.policy;

import dev.writ.core.capability.Action;
import java.util.Optional;

/// What the policy says about an action.
public sealed interface Decision {
    /// The rule that decided; empty if none did.
    Optional<Rule> deciding();

    /// Go ahead; `rule` said so.
    record Allow(Rule rule) implements Decision {
        @Override
        public Optional<Rule> deciding() {
            return Optional.of(rule);
        }
    }

    /// The operator has to answer first; `rule` said so.
    record Ask(Rule rule) implements Decision {
        @Override
        public Optional<Rule> deciding() {
            return Optional.of(rule);
        }
    }

    /// Never; nobody can overrule this.
    sealed interface Deny extends Decision {}

    /// `rule` denies it.
    record Denied(Rule rule) implements Deny {
        @Override
        public Optional<Rule> deciding() {
            return Optional.of(rule);
        }
    }

    /// It is guarded, and no rule names its exact path.
    record Guarded(Rule guard) implements Deny {
        @Override
        public Optional<Rule> deciding() {
            return Optional.of(guard);
        }
    }

    /// It is more than `limit` leaves.
    record OverLimit(Rule limit) implements Deny {
        @Override
        public Optional<Rule> deciding() {
            return Optional.of(limit);
        }
    }

    /// No rule allows it.
    record Unmatched(Policy policy, Action action) implements Deny {
        @Override
        public Optional<Rule> deciding() {
            return Optional.empty();
        }

        /// The rule that comes closest, found on demand: most denials are never explained.
        public Nearest nearest() {
            return policy.nearest(action);
        }
    }

    /// The policy would permit it, and one of its bounds does not.
    ///
    /// @param by what the rules of that bound say
    record Beyond(Bound bound, Deny by) implements Deny {
        @Override
        public Optional<Rule> deciding() {
            return by.deciding();
        }
    }

    /// Whether a rule denies it, of whomever; and not only that none allows it.
    default boolean isDenied() {
        return this instanceof Denied || (this instanceof Beyond(_, var by) && by.isDenied());
    }

    /// Whether it is denied only because no rule speaks of it.
    default boolean isUnmatched() {
        return this instanceof Unmatched || (this instanceof Beyond(_, var by) && by.isUnmatched());
    }

    /// The allow or ask rule that comes closest to an action, and the part of the action that does
    /// not fit it.
    sealed interface Nearest {
        record Found(Rule rule, String part) implements Nearest {}

        record None() implements Nearest {}
    }

    /// The word for it in output.
    default String word() {
        return switch (this) {
            case Allow _ -> Effect.ALLOW.word();
            case Ask _ -> Effect.ASK.word();
            case Deny _ -> Effect.DENY.word();
        };
    }
}
