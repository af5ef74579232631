// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.token;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.Scope;
import dev.writ.core.capability.Text;
import dev.writ.core.policy.Decision;
import dev.writ.trust.biscuit.PublicKey;
import java.util.List;
import java.util.Optional;

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
        for (int i = 0; i < chain.links().size(); i++) {
            var link = chain.links().get(i);
            switch (link.rules().policy().decide(action)) {
                case Decision.Allow _ -> {}
                case Decision.Ask ask ->
                        asked =
                                asked == null
                                        ? new TokenDecision.Ask(reason(i, "asks", action), ask)
                                        : asked;
                case Decision.Denied denied -> {
                    return new TokenDecision.Refused(
                            reason(i, "denies", action), Optional.of(denied));
                }
                case Decision.Deny deny -> {
                    return new TokenDecision.Refused(
                            reason(i, "does not include", action), Optional.of(deny));
                }
            }
        }
        return asked == null ? new TokenDecision.Permitted() : asked;
    }

    private String reason(int block, String what, Action action) {
        return TokenVerifier.place(block, chain.links().get(block))
                + ", "
                + what
                + " `"
                + Text.shown(action.text(Scope.SPELLED_OUT))
                + "`";
    }
}
