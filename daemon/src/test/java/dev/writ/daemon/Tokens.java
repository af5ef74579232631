// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon;

import dev.writ.core.policy.Effect;
import dev.writ.runtime.record.Installation;
import dev.writ.trust.biscuit.PublicKey;
import dev.writ.trust.biscuit.Signer;
import dev.writ.trust.key.Keys.Purpose;
import dev.writ.trust.key.SigningKey;
import dev.writ.trust.token.Grant;
import dev.writ.trust.token.Minting;
import dev.writ.trust.token.Narrowing;
import dev.writ.trust.token.Token;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/// Real tokens of an installation.
final class Tokens {
    private Tokens() {}

    /// One that was given on once.
    ///
    /// @param name of the last holder, and what it is for
    static Token twoBlocks(Path state, String name) {
        var root = new Installation(state).keys().signing(Purpose.TOKEN, Installation.ISSUER);
        var coder = SigningKey.make("writ/holder/coder");
        var helper = SigningKey.make("writ/holder/helper");
        var first = grant(coder, "coder", List.of("write:/project/src/**", "read:/project"), 2, "");
        var second = grant(helper, name, List.of("read:/project/src"), 1, name);
        return Narrowing.narrow(Minting.mint(first, Signer.of(root)), second, Signer.of(coder));
    }

    private static Grant grant(
            SigningKey holder, String name, List<String> rules, int depth, String purpose) {
        var now = Instant.ofEpochSecond(InstantSource.system().instant().getEpochSecond());
        return new Grant(
                PublicKey.ed25519(holder.verifying().point()),
                Optional.of(name),
                rules.stream().map(r -> new Grant.Line(Effect.ALLOW, r)).toList(),
                now,
                now.plus(Duration.ofHours(depth)),
                depth,
                new Grant.Terms(
                        Optional.of(purpose).filter(p -> !p.isEmpty()),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty()));
    }
}
