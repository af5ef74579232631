// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.token;

import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Rule;
import dev.writ.core.policy.Source;
import dev.writ.trust.biscuit.BiscuitException;
import dev.writ.trust.biscuit.PublicKey;
import dev.writ.trust.biscuit.VerifiedBiscuit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Makes a chain of grants of a verified Biscuit, if it is one: the rules above the format.
final class ChainReader {
    private final Scope scope;
    private final PublicKey root;

    /// @param programs where programs are that are meant by their name alone
    ChainReader(PublicKey root, List<FilePath> programs) {
        this.root = root;
        this.scope = new Scope(FilePath.ROOT, FilePath.ROOT, programs);
    }

    /// @throws BiscuitException if it is a Biscuit, but none of ours
    Chain read(VerifiedBiscuit biscuit) {
        var links = new ArrayList<Chain.Link>();
        var giver = root;
        String givenBy = "the issuer";
        int depth = Integer.MAX_VALUE;
        var capabilities = new SpelledOut();
        for (int i = 0; i < biscuit.blocks().size(); i++) {
            var said = biscuit.blocks().get(i);
            Grant grant;
            try {
                if (i > 0 && !said.giver().filter(giver::equals).isPresent()) {
                    throw new BiscuitException("it is not signed by its giver, " + givenBy);
                }
                if (i > 0 && depth < 1) {
                    throw new BiscuitException(
                            "it was given on by " + givenBy + ", who may not give it on");
                }
                grant = GrantBlock.read(said.block(), i == 0, capabilities);
            } catch (BiscuitException e) {
                throw new BiscuitException("block " + i + ": " + e.getMessage());
            }
            depth = Math.min(depth - 1, grant.depth());
            links.add(
                    new Chain.Link(
                            grant,
                            giver,
                            givenBy,
                            said.id(),
                            said.revocationId(),
                            rules(grant, TokenVerifier.place(i, givenBy, grant))));
            giver = grant.holder();
            givenBy = grant.who();
        }
        return new Chain(links, biscuit.token().sealed());
    }

    private Chain.Rules rules(Grant grant, String place) {
        return new Chain.Rules() {
            private volatile @Nullable Policy compiled;

            @Override
            public Policy policy() {
                var ready = compiled;
                if (ready == null) {
                    var source = Source.of(place);
                    ready =
                            Policy.of(
                                    scope,
                                    grant.lines().stream()
                                            .map(
                                                    l ->
                                                            Rule.parse(
                                                                    l.effect(),
                                                                    l.capability(),
                                                                    scope,
                                                                    source))
                                            .toList(),
                                    List.of());
                    compiled = ready;
                }
                return ready;
            }
        };
    }
}
