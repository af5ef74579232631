// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.audit.SessionId;
import dev.writ.core.capability.Text;
import dev.writ.core.policy.Policy;
import dev.writ.runtime.SessionToken;
import dev.writ.runtime.policy.TokenBounds;
import dev.writ.trust.biscuit.BiscuitException;
import dev.writ.trust.biscuit.Signer;
import dev.writ.trust.token.Narrowing;
import dev.writ.trust.token.Token;
import dev.writ.trust.token.TokenException;
import dev.writ.trust.token.Use;
import dev.writ.trust.token.Verification;
import java.time.InstantSource;
import java.util.Optional;

/// The flags that bring a token along, the same for every verb that takes one.
final class TokenOptions {
    static final Option TOKEN =
            new Option("token", "FILE", "permit only what this token permits as well");
    static final Option HOLDER =
            new Option("holder", "FILE", "the token's holder: a file with the key, or a name");

    private TokenOptions() {}

    /// The token of `--token` for a session that is to be opened; empty if there is none.
    ///
    /// @throws RefusedToken if it is good for nothing, or not this holder's
    static Optional<SessionToken> present(
            Arguments arguments, SessionId session, Policy policy, World world) {
        if (!arguments.has(TOKEN)) {
            refuseWithout(HOLDER, arguments);
            refuseWithout(TokenMaking.KEY, arguments);
            return Optional.empty();
        }
        var making = new TokenMaking(arguments, world);
        try {
            var token = read(arguments, world);
            var holder = holder(token, making, arguments);
            var challenge = SessionToken.Challenge.of(session);
            return Optional.of(
                    SessionToken.present(
                            token,
                            challenge,
                            challenge.prove(token, holder),
                            making.verifier(policy.scope().programs()),
                            policy,
                            InstantSource.system()));
        } catch (TokenException | BiscuitException e) {
            throw new RefusedToken(String.valueOf(e.getMessage()));
        }
    }

    /// `policy`, within the token of `--token` if there is one. Nobody has to show whose it is:
    /// nothing happens.
    static Policy narrow(Policy policy, Arguments arguments, World world) {
        if (!arguments.has(TOKEN)) {
            refuseWithout(TokenMaking.KEY, arguments);
            return policy;
        }
        var making = new TokenMaking(arguments, world);
        try {
            var use = Use.at(InstantSource.system().instant());
            return switch (making.verifier(policy.scope().programs())
                    .verify(read(arguments, world), use)) {
                case Verification.Good(var token) -> TokenBounds.narrow(policy, token);
                case Verification.Refused(var reason) -> throw new RefusedToken(reason);
            };
        } catch (BiscuitException e) {
            throw new RefusedToken(String.valueOf(e.getMessage()));
        }
    }

    private static void refuseWithout(Option option, Arguments arguments) {
        if (arguments.has(option)) {
            throw new UsageException("`--" + option.name() + "` goes with `--token`");
        }
    }

    private static Token read(Arguments arguments, World world) {
        String file = arguments.value(TOKEN).orElseThrow();
        if (file.equals("-")) {
            throw new UsageException("`--token` is a file: standard input belongs to the command");
        }
        return Token.parse(new String(Recorded.read(file, TokenVerb.LONGEST, world), UTF_8));
    }

    /// The key that is named, else the one of this installation that the token was given to.
    private static Signer holder(Token token, TokenMaking making, Arguments arguments) {
        if (arguments.has(HOLDER)) {
            return making.signer(arguments.value(HOLDER).orElseThrow());
        }
        var last = Narrowing.grants(token).getLast();
        return making.tokens()
                .signerOf(last.holder())
                .orElseThrow(
                        () ->
                                new RefusedToken(
                                        "the token was given to "
                                                + last.who()
                                                + ", whose key is not here; `--holder FILE` names it"));
    }

    /// A token that nobody takes.
    static final class RefusedToken extends RuntimeException {
        private static final long serialVersionUID = 1;

        RefusedToken(String why) {
            super("the token is refused: " + Text.shown(why));
        }
    }
}
