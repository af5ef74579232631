// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.api;

import dev.writ.core.capability.Text;
import dev.writ.core.policy.Policy;
import dev.writ.daemon.sandbox.Challenges;
import dev.writ.runtime.SessionToken;
import dev.writ.runtime.Tokens;
import dev.writ.runtime.policy.TokenBounds;
import dev.writ.trust.biscuit.BiscuitException;
import dev.writ.trust.token.Token;
import dev.writ.trust.token.TokenException;
import dev.writ.trust.token.TokenVerifier;
import dev.writ.trust.token.Use;
import dev.writ.trust.token.Verification;
import java.util.HexFormat;
import java.util.Optional;

/// Takes the token that comes with a request, if one does.
public record TokenAsk(Tokens tokens, Challenges challenges) {
    /// For a sandbox that is to be opened under `policy`, if the holder has signed the challenge.
    Optional<SessionToken> present(Fields fields, Policy policy) {
        if (!fields.has("token")) {
            if (fields.has("challenge") || fields.has("proof")) {
                throw ApiException.invalid("`challenge` and `proof` go with `token`");
            }
            return Optional.empty();
        }
        if (fields.has("idempotency_key")) {
            throw ApiException.invalid(
                    "`idempotency_key` and `token` exclude each other: a proof is good once");
        }
        try {
            var token = token(fields);
            // ORDER: whatever comes of it, it was answered.
            var challenge =
                    challenges
                            .take(fields.text("challenge").orElse(""))
                            .orElseThrow(
                                    () ->
                                            refused(
                                                    "`challenge` is unknown, too old or was"
                                                            + " answered already; `POST"
                                                            + " /v1/tokens/challenges` gives one"));
            return Optional.of(
                    SessionToken.present(
                            token,
                            challenge,
                            proof(fields),
                            verifier(policy),
                            policy,
                            tokens.clock()));
        } catch (TokenException | BiscuitException e) {
            throw refused(String.valueOf(e.getMessage()));
        }
    }

    /// `policy` within the token, for a question only: nobody has to show whose it is.
    Policy narrow(Fields fields, Policy policy) {
        if (!fields.has("token")) {
            return policy;
        }
        try {
            return switch (verifier(policy)
                    .verify(token(fields), Use.at(tokens.clock().instant()))) {
                case Verification.Good(var good) -> TokenBounds.narrow(policy, good);
                case Verification.Refused(var reason) -> throw refused(reason);
            };
        } catch (TokenException | BiscuitException e) {
            throw refused(String.valueOf(e.getMessage()));
        }
    }

    /// With the key of this installation. None is made for that.
    private TokenVerifier verifier(Policy policy) {
        if (!tokens.hasRoot()) {
            throw refused("this installation has issued no token, so it is another's");
        }
        return tokens.verifier(tokens.root(), policy.scope().programs());
    }

    static Token token(Fields fields) {
        return Token.parse(
                fields.text("token").orElseThrow(() -> ApiException.invalid("`token` is missing")));
    }

    private static byte[] proof(Fields fields) {
        return HexFormat.of()
                .parseHex(
                        fields.text("proof")
                                .filter(p -> p.matches("[0-9a-f]{128}"))
                                .orElseThrow(
                                        () ->
                                                ApiException.invalid(
                                                        "`proof` is a signature, 128 hexadecimal"
                                                                + " digits; `writ token prove`"
                                                                + " makes it")));
    }

    private static ApiException refused(String why) {
        return new ApiException(403, "token.refused", "the token is refused: " + Text.shown(why));
    }
}
