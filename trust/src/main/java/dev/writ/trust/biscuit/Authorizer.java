// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Asks whether a token permits something: its own facts say what, its checks and policies decide.
///
/// @param own facts, rules, checks and scopes of the authorizer
/// @param policies the first that has an answer counts
public record Authorizer(Block own, List<LogicPolicy> policies, Limits limits) {
    public Authorizer {
        policies = List.copyOf(policies);
    }

    /// @param token null to ask without one
    public Evaluation authorize(@Nullable VerifiedBiscuit token) {
        return evaluate(token == null ? List.of() : token.blocks());
    }

    Evaluation evaluate(List<VerifiedBiscuit.Said> blocks) {
        var world = new World(limits);
        try {
            return new Evaluation(this, blocks, new Run(this, blocks, world).outcome(), world);
        } catch (BiscuitException e) {
            return new Evaluation(this, blocks, new Outcome.Stopped(reason(e)), world);
        }
    }

    private static String reason(BiscuitException e) {
        return String.valueOf(e.getMessage());
    }

    /// One evaluation.
    private record Run(Authorizer authorizer, List<VerifiedBiscuit.Said> blocks, World world) {
        Outcome outcome() {
            load();
            world.run();
            var failed = new ArrayList<Outcome.FailedCheck>();
            check(authorizer.own(), World.AUTHORIZER, failed);
            if (!blocks.isEmpty()) {
                check(blocks.getFirst().block(), 0, failed);
            }
            var policy = policy();
            for (int i = 1; i < blocks.size(); i++) {
                check(blocks.get(i).block(), i, failed);
            }
            return policy.isPresent()
                            && authorizer.policies().get(policy.get()).allows()
                            && failed.isEmpty()
                    ? new Outcome.Allowed(policy.get())
                    : new Outcome.Denied(policy, failed);
        }

        private void load() {
            for (int i = 0; i < blocks.size(); i++) {
                load(blocks.get(i).block(), i);
            }
            load(authorizer.own(), World.AUTHORIZER);
        }

        private void load(Block block, int number) {
            block.facts().forEach(f -> world.add(World.bit(number), f));
            long trusted = trusted(block.scopes(), number);
            for (var rule : block.rules()) {
                if (!rule.isBound()) {
                    throw new BiscuitException(
                            "a variable of its head is not in its body: " + rule);
                }
                world.add(trusted(rule.scopes(), number, trusted), number, rule);
            }
        }

        private void check(Block block, int number, List<Outcome.FailedCheck> failed) {
            long trusted = trusted(block.scopes(), number);
            for (int i = 0; i < block.checks().size(); i++) {
                var check = block.checks().get(i);
                boolean passed = false;
                for (var query : check.queries()) {
                    long scope = trusted(query.scopes(), number, trusted);
                    passed =
                            switch (check.kind()) {
                                case IF -> world.matches(query, scope);
                                case ALL -> world.matchesAll(query, scope);
                                case REJECT -> !world.matches(query, scope);
                            };
                    if (passed) {
                        break;
                    }
                }
                if (!passed) {
                    int block0 = number == World.AUTHORIZER ? -1 : number;
                    failed.add(new Outcome.FailedCheck(block0, i, check.toString()));
                }
            }
        }

        private Optional<Integer> policy() {
            long trusted = trusted(authorizer.own().scopes(), World.AUTHORIZER);
            for (int i = 0; i < authorizer.policies().size(); i++) {
                for (var query : authorizer.policies().get(i).queries()) {
                    long scope = trusted(query.scopes(), World.AUTHORIZER, trusted);
                    if (world.matches(query, scope)) {
                        return Optional.of(i);
                    }
                }
            }
            return Optional.empty();
        }

        private long trusted(List<Scope> scopes, int block) {
            return trusted(scopes, block, World.bit(0));
        }

        private long trusted(List<Scope> scopes, int block, long otherwise) {
            long own = World.bit(block) | World.bit(World.AUTHORIZER);
            if (scopes.isEmpty()) {
                return otherwise | own;
            }
            long trusted = own;
            for (var scope : scopes) {
                trusted |=
                        switch (scope) {
                            case Scope.Authority _ -> World.bit(0);
                            case Scope.Previous _ ->
                                    block == World.AUTHORIZER ? 0 : World.bit(block) - 1;
                            case Scope.Key(var key) -> signedBy(key);
                        };
            }
            return trusted;
        }

        private long signedBy(PublicKey key) {
            long found = 0;
            for (int i = 0; i < blocks.size(); i++) {
                if (blocks.get(i).giver().filter(key::equals).isPresent()) {
                    found |= World.bit(i);
                }
            }
            return found;
        }
    }
}
