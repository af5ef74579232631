// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.token;

import dev.writ.core.capability.Capability;
import dev.writ.core.capability.Limit;
import dev.writ.core.capability.Scope;
import dev.writ.core.capability.SyntaxException;
import dev.writ.core.pattern.Pattern;
import dev.writ.core.pattern.Search;
import dev.writ.core.policy.Effect;
import dev.writ.trust.biscuit.Biscuit;
import dev.writ.trust.biscuit.BiscuitException;
import dev.writ.trust.biscuit.Block;
import dev.writ.trust.biscuit.Signer;
import java.util.ArrayList;
import java.util.List;

/// Gives a token on, with less in it. Needs the key of its holder, and nobody else.
public final class Narrowing {
    private Narrowing() {}

    /// @param holder the key of who holds the token now
    /// @throws TokenException if it would not be less, or nobody would take it
    public static Token narrow(Token token, Grant grant, Signer holder) {
        var before = grants(token);
        var last = before.getLast();
        if (!last.holder().equals(holder.key())) {
            throw new TokenException(
                    "the token was given to " + last.who() + ", and this is another key");
        }
        if (before.stream().anyMatch(g -> g.expires().isBefore(grant.expires()))) {
            throw new TokenException("it would outlive the token that it comes from");
        }
        int left = Integer.MAX_VALUE;
        for (var each : before) {
            left = Math.min(left - 1, each.depth());
        }
        if (left < 1) {
            throw new TokenException("the token may not be given on any further");
        }
        if (grant.depth() > left - 1) {
            throw new TokenException("it may be given on at most " + (left - 1) + " times more");
        }
        for (var each : before) {
            refuseMore(each, grant);
        }
        var made = append(token, grant, holder);
        grants(made); // nobody takes one with more in it than is read
        return made;
    }

    /// The same without a look at what is given on: whatever is more than before has no effect.
    public static Token append(Token token, Grant grant, Signer holder) {
        var block = sound(grant, false);
        try {
            return Token.of(token.biscuit().append(block, holder));
        } catch (BiscuitException e) {
            throw Minting.refused(e);
        }
    }

    /// What the token says it is, by whoever made it.
    public static List<Grant> grants(Token token) {
        try {
            var grants = new ArrayList<Grant>();
            var capabilities = new SpelledOut();
            for (var block : token.biscuit().unverifiedBlocks()) {
                grants.add(GrantBlock.read(block, grants.isEmpty(), capabilities));
            }
            return grants;
        } catch (BiscuitException e) {
            throw new TokenException("not a token of Writ: " + e.getMessage());
        }
    }

    private static void refuseMore(Grant before, Grant after) {
        var granted = new ArrayList<Pattern>();
        for (var line : before.lines()) {
            if (line.effect() != Effect.DENY) {
                granted.addAll(capability(line).grants());
            }
        }
        for (var line : after.lines()) {
            if (line.effect() == Effect.DENY || capability(line) instanceof Limit) {
                continue;
            }
            for (var pattern : capability(line).grants()) {
                if (Search.beyond(pattern, granted).isPresent()) {
                    throw new TokenException(
                            "`"
                                    + line.capability()
                                    + "` is more than "
                                    + before.who()
                                    + " was given");
                }
            }
        }
    }

    /// Names of programs mean the same on both sides, so any folder will do.
    private static Capability capability(Grant.Line line) {
        var scope =
                new Scope(
                        Scope.SPELLED_OUT.base(),
                        Scope.SPELLED_OUT.home(),
                        List.of(Scope.SPELLED_OUT.base()));
        return Capability.parse(line.capability(), scope);
    }

    static Block sound(Grant grant, boolean first) {
        try {
            var block = GrantBlock.write(grant, first);
            GrantBlock.read(block, first, new SpelledOut());
            return block;
        } catch (BiscuitException e) {
            throw Minting.refused(e);
        } catch (SyntaxException e) {
            throw new TokenException("not a capability: " + e.getMessage());
        }
    }

    /// The token with nothing to be added any more.
    static Token sealed(Biscuit biscuit) {
        return Token.of(biscuit.seal());
    }
}
