// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.token;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.Scope;
import dev.writ.core.digest.Sha256;
import dev.writ.core.policy.Effect;
import dev.writ.trust.biscuit.PublicKey;
import dev.writ.trust.biscuit.Signer;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/// A token for one action, once, within a minute: to hand one thing to do to another process or
/// machine.
public final class ActionToken {
    public static final Duration LONGEST = Duration.ofSeconds(60);
    private static final SecureRandom RANDOM = new SecureRandom();

    private ActionToken() {}

    /// @param arguments what the action is done with
    /// @param doer who shall do it
    /// @param holder the key of who holds `token`
    public static Token of(
            Token token,
            Action action,
            byte[] arguments,
            PublicKey doer,
            Instant now,
            Duration life,
            Signer holder) {
        if (life.compareTo(LONGEST) > 0) {
            throw new TokenException(
                    "an action is handed on for at most " + LONGEST.toSeconds() + " s");
        }
        var single = new Grant.Single(nonce(), Optional.of(digest(arguments)));
        var terms =
                new Grant.Terms(
                        Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(single));
        var line = new Grant.Line(Effect.ALLOW, action.text(Scope.SPELLED_OUT));
        var issued = Instant.ofEpochSecond(now.getEpochSecond());
        var grant =
                new Grant(
                        doer, Optional.empty(), List.of(line), issued, issued.plus(life), 0, terms);
        return Narrowing.sealed(Narrowing.narrow(token, grant, holder).biscuit());
    }

    public static String nonce() {
        byte[] nonce = new byte[16];
        RANDOM.nextBytes(nonce);
        return HexFormat.of().formatHex(nonce);
    }

    private static String digest(byte[] arguments) {
        return Sha256.hex(arguments);
    }

    /// Whether the action may be done, with these arguments. The answer is yes only once.
    public static TokenDecision redeem(
            VerifiedToken token, Action action, byte[] arguments, Use use, Nonces nonces) {
        var single = token.single();
        if (single.isEmpty()) {
            return new TokenDecision.Refused("the token is not for one use", Optional.empty());
        }
        var wanted = single.get().arguments();
        byte[] digest = digest(arguments).getBytes(US_ASCII);
        if (wanted.isPresent() && !MessageDigest.isEqual(wanted.get().getBytes(US_ASCII), digest)) {
            return new TokenDecision.Refused(
                    "the token is for other arguments than these", Optional.empty());
        }
        var decision = token.decideOnce(action, use);
        if (decision instanceof TokenDecision.Refused) {
            return decision;
        }
        var expires = token.grants().getLast().expires();
        return nonces.use(single.get().nonce(), expires, use.now())
                ? decision
                : new TokenDecision.Refused("the token was used before", Optional.empty());
    }
}
