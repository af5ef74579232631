// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.token;

import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Text;
import dev.writ.core.digest.Sha256;
import dev.writ.trust.biscuit.Biscuit;
import dev.writ.trust.biscuit.BiscuitException;
import dev.writ.trust.biscuit.PublicKey;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Says whether tokens are good. It knows the public key of who issued them, and nothing secret.
///
/// What a signature once proved is remembered, by SHA-256 of all that it was proved of; time,
/// revocations and conditions are looked at each time. May be used by many threads.
public final class TokenVerifier {
    private static final int MOST_REMEMBERED = 4_096;

    private final PublicKey root;
    private final Revocations revocations;
    private final ChainReader reader;
    private final Supplier<Set<String>> names;
    private final Map<ByteBuffer, Chain> chains = new Memory<>();

    /// Beginnings of tokens whose signatures are good, by how many blocks they have.
    private final Map<ByteBuffer, Boolean> beginnings = new Memory<>();

    /// @param programs where programs are that are meant by their name alone
    public TokenVerifier(PublicKey root, List<FilePath> programs, Revocations revocations) {
        this(root, programs, revocations, Set::of);
    }

    /// @param programs where programs are that are meant by their name alone
    /// @param names who takes the tokens: asked for only if one has an audience
    public TokenVerifier(
            PublicKey root,
            List<FilePath> programs,
            Revocations revocations,
            Supplier<Set<String>> names) {
        this.root = root;
        this.names = names;
        this.revocations = revocations;
        this.reader = new ChainReader(root, programs);
    }

    public Verification verify(Token token, Use use) {
        Chain chain;
        try {
            chain = chain(token);
        } catch (BiscuitException e) {
            return new Verification.Refused(String.valueOf(e.getMessage()));
        }
        return refusal(chain, use)
                .<Verification>map(Verification.Refused::new)
                .orElseGet(() -> new Verification.Good(new VerifiedToken(token, chain, this)));
    }

    private Chain chain(Token token) {
        var key = ByteBuffer.wrap(token.digest());
        synchronized (chains) {
            var known = chains.get(key);
            if (known != null) {
                return known;
            }
        }
        var biscuit = token.biscuit();
        var keys = beginnings(biscuit);
        var chain = reader.read(biscuit.verify(root, knownBlocks(keys)));
        synchronized (chains) {
            chains.put(key, chain);
            keys.forEach(k -> beginnings.put(k, true));
        }
        return chain;
    }

    /// SHA-256 of the first block, of the first two, and so on.
    private static List<ByteBuffer> beginnings(Biscuit biscuit) {
        var digest = Sha256.begin();
        return biscuit.blocks().stream()
                .map(
                        block -> {
                            byte[] so = block.fingerprint(digest);
                            digest.update(so);
                            return ByteBuffer.wrap(so);
                        })
                .toList();
    }

    private int knownBlocks(List<ByteBuffer> keys) {
        synchronized (chains) {
            int known = 0;
            while (known < keys.size() && beginnings.containsKey(keys.get(known))) {
                known++;
            }
            return known;
        }
    }

    /// Why the chain is good for nothing now; empty if it is good.
    Optional<String> refusal(Chain chain, Use use) {
        for (int i = 0; i < chain.links().size(); i++) {
            var link = chain.links().get(i);
            String why = refusal(link, use);
            if (why != null) {
                return Optional.of(place(i, link) + ", " + why);
            }
        }
        return Optional.empty();
    }

    static String place(int block, Chain.Link link) {
        return place(block, link.givenBy(), link.grant());
    }

    /// A block as people are told: who gave it to whom.
    static String place(int block, String givenBy, Grant grant) {
        return "block " + block + ", given by " + givenBy + " to " + grant.who();
    }

    private @Nullable String refusal(Chain.Link link, Use use) {
        var grant = link.grant();
        if (!use.now().isBefore(grant.expires())) {
            return "expired at " + grant.expires();
        }
        if (use.now().isBefore(grant.issued().minus(GrantBlock.SKEW))) {
            return "was issued at " + grant.issued() + ", which is yet to come: look at the clocks";
        }
        if (revocations.isRevoked(link.id()) || revocations.isRevoked(grant.holder())) {
            return revocations.problem().map(why -> "may be revoked: " + why).orElse("is revoked");
        }
        var session = grant.terms().session();
        if (session.isPresent() && !session.equals(use.session())) {
            return "is for another session";
        }
        var audience = grant.terms().audience();
        if (audience.isPresent() && !isMeant(audience.get(), use)) {
            return "is for another audience, `" + Text.shown(audience.get()) + "`";
        }
        return null;
    }

    private boolean isMeant(String audience, Use use) {
        return use.audience().map(audience::equals).orElseGet(() -> names.get().contains(audience));
    }

    /// Forgets what was used longest ago.
    private static final class Memory<K, V> extends LinkedHashMap<K, V> {
        private static final long serialVersionUID = 1;

        Memory() {
            super(16, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
            return size() > MOST_REMEMBERED;
        }
    }
}
