// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.token;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.Scope;
import dev.writ.core.capability.Text;
import dev.writ.core.policy.Bound;
import dev.writ.core.policy.Decision;
import dev.writ.trust.biscuit.PublicKey;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/// A token that was good when it was verified. An action is permitted by it only if every block
/// permits it.
public final class VerifiedToken {
    private final Token token;
    private final Chain chain;
    private final TokenVerifier verifier;

    VerifiedToken(Token token, Chain chain, TokenVerifier verifier) {
        this.token = token;
        this.chain = chain;
        this.verifier = verifier;
    }

    public Token token() {
        return token;
    }

    /// What was given, first to last.
    public List<Grant> grants() {
        return chain.links().stream().map(Chain.Link::grant).toList();
    }

    /// By what each block is revoked.
    public List<String> ids() {
        return chain.links().stream().map(Chain.Link::id).toList();
    }

    /// By what others revoke each block: its signature.
    public List<String> foreignIds() {
        return chain.links().stream().map(Chain.Link::foreignId).toList();
    }

    /// Who may use it, and must show that they can: see [Possession].
    public PublicKey holder() {
        return chain.last().holder();
    }

    public boolean isSealed() {
        return chain.sealed();
    }

    /// For one use only.
    public Optional<Grant.Single> single() {
        return grants().stream().flatMap(g -> g.terms().single().stream()).findFirst();
    }

    /// Who gave it to whom, in one line.
    public String lineage() {
        var names = chain.links().stream().map(l -> l.grant().who()).toList();
        return "the issuer → " + String.join(" → ", names);
    }

    /// What the token says of an action. It may have expired or been revoked since it was verified:
    /// that is looked at once more.
    ///
    /// @param now when and where
    public TokenDecision decide(Action action, Use now) {
        return single().isPresent()
                ? new TokenDecision.Refused(
                        "the token is for one use: it has to be redeemed, not kept",
                        Optional.empty())
                : decideOnce(action, now);
    }

    TokenDecision decideOnce(Action action, Use now) {
        var refusal = verifier.refusal(chain, now);
        if (refusal.isPresent()) {
            return new TokenDecision.Refused(refusal.get(), Optional.empty());
        }
        TokenDecision asked = null;
        for (var bound : bounds()) {
            var decision = bound.policy().decide(action);
            if (decision instanceof Decision.Deny deny) {
                return new TokenDecision.Refused(
                        bound.refusal(deny, action), Optional.of(decision));
            }
            if (decision instanceof Decision.Ask ask && asked == null) {
                String shown = Text.shown(action.text(Scope.SPELLED_OUT));
                asked = new TokenDecision.Ask(bound.name() + ", asks `" + shown + "`", ask);
            }
        }
        return asked == null ? new TokenDecision.Permitted() : asked;
    }

    /// What each block permits, first to last. Whether the token is still good is not said.
    public List<Bound> bounds() {
        return IntStream.range(0, chain.links().size())
                .mapToObj(
                        i -> {
                            var link = chain.links().get(i);
                            return new Bound(TokenVerifier.place(i, link), link.rules().policy());
                        })
                .toList();
    }

    /// Why it is good for nothing any more; empty if it is good.
    public Optional<String> ended(Use now) {
        return verifier.refusal(chain, now);
    }
}
