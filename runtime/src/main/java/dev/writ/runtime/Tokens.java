// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import dev.writ.core.capability.FilePath;
import dev.writ.runtime.record.Installation;
import dev.writ.trust.biscuit.PublicKey;
import dev.writ.trust.biscuit.Signer;
import dev.writ.trust.file.WholeFile;
import dev.writ.trust.key.Keys.Purpose;
import dev.writ.trust.key.SigningKey;
import dev.writ.trust.token.Grant;
import dev.writ.trust.token.Minting;
import dev.writ.trust.token.Narrowing;
import dev.writ.trust.token.Token;
import dev.writ.trust.token.TokenException;
import dev.writ.trust.token.TokenVerifier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/// The tokens of an installation: the key that issues them, the keys of its holders, and what was
/// taken back.
///
/// ```
/// keys/token.pem        issues, and is made when it is first needed
/// holders/NAME.pem      of a holder
/// tokens/revocations    what is taken back
/// ```
public record Tokens(Installation installation, InstantSource clock) {
    private static final int DEPTH = 3;
    private static final Duration LIFE = Duration.ofHours(1);

    /// What somebody is to be given.
    ///
    /// @param whom the name of a holder, or a key
    /// @param life how long; without it an hour, or half of what is left of what is given on
    /// @param depth how often it may be given on; without it 3, or one less than before
    public record Giving(
            String whom,
            List<Grant.Line> lines,
            Optional<Duration> life,
            OptionalInt depth,
            Grant.Terms terms) {
        public Giving {
            lines = lines.stream().distinct().toList();
        }
    }

    /// The key that this installation's tokens are verified with.
    public PublicKey root() {
        return PublicKey.ed25519(rootKey().verifying().point());
    }

    /// Whether there is such a key yet.
    public boolean hasRoot() {
        return installation.keys().since(Purpose.TOKEN).isPresent();
    }

    private SigningKey rootKey() {
        return installation.keys().signing(Purpose.TOKEN, Installation.ISSUER);
    }

    /// Knows what was taken back here, and by which names this installation is meant.
    ///
    /// @param programs where programs are that are meant by their name alone
    public TokenVerifier verifier(PublicKey root, List<FilePath> programs) {
        return new TokenVerifier(root, programs, installation.revocations(), installation::names);
    }

    private Path folder() {
        return installation.state().resolve("holders");
    }

    private Path file(String name) {
        if (!name.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,59}")) {
            throw new TokenException("a holder's name is letters, digits, `.`, `_` and `-`");
        }
        return folder().resolve(name + ".pem");
    }

    /// Makes a key for a holder, and gives its public half.
    public PublicKey newHolder(String name) {
        var file = file(name);
        if (Files.exists(file)) {
            throw new TokenException("there is a holder `" + name + "` already: `" + file + "`");
        }
        try {
            WholeFile.privateFolder(folder());
            var key = SigningKey.make("writ/holder/" + name);
            key.save(file);
            return PublicKey.ed25519(key.verifying().point());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// @param word a name, or the key itself
    public PublicKey holder(String word) {
        return word.startsWith("ed25519/") ? PublicKey.parse(word) : signer(word).key();
    }

    /// The key of the holder of this name.
    public Signer signer(String name) {
        var file = file(name);
        if (!Files.exists(file)) {
            throw new TokenException(
                    "there is no holder `"
                            + name
                            + "` here; `writ token holder new "
                            + name
                            + "` makes one");
        }
        return Signer.of(SigningKey.load(file, "writ/holder/" + name));
    }

    /// The holder of this installation that has this key.
    public Optional<Signer> signerOf(PublicKey key) {
        if (!Files.isDirectory(folder())) {
            return Optional.empty();
        }
        try (var files = Files.list(folder())) {
            return files.filter(f -> f.toString().endsWith(".pem"))
                    .map(f -> Signer.of(SigningKey.load(f, "writ/holder")))
                    .filter(s -> s.key().equals(key))
                    .findFirst();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Token mint(Giving giving) {
        var now = now();
        var grant =
                grant(
                        giving,
                        now,
                        now.plus(giving.life().orElse(LIFE)),
                        giving.depth().orElse(DEPTH));
        return Minting.mint(grant, Signer.of(rootKey()));
    }

    /// @param giver whose token it is now
    public Token narrow(Token token, Signer giver, Giving giving) {
        var before = Narrowing.grants(token);
        var now = now();
        var end = before.stream().map(Grant::expires).min(Instant::compareTo).orElseThrow();
        var life =
                giving.life()
                        .orElseGet(
                                () ->
                                        Duration.ofSeconds(
                                                Duration.between(now, end).toSeconds() / 2));
        int left = Math.max(0, before.getLast().depth() - 1);
        var grant = grant(giving, now, now.plus(life), giving.depth().orElse(left));
        return Narrowing.narrow(token, grant, giver);
    }

    private Instant now() {
        return Instant.ofEpochSecond(clock.instant().getEpochSecond());
    }

    private Grant grant(Giving giving, Instant issued, Instant expires, int depth) {
        return new Grant(
                holder(giving.whom()),
                Optional.of(giving.whom()).filter(w -> !w.startsWith("ed25519/")),
                giving.lines(),
                issued,
                expires,
                depth,
                giving.terms());
    }

    /// Takes back a block, and everything that comes from it.
    ///
    /// @param why for the record
    public void revoke(String id, String why) {
        try {
            installation.revocations().revoke(id);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        installation.revoked(id, why);
    }

    /// Takes back all that a holder was ever given.
    ///
    /// @param why for the record
    public void revoke(PublicKey holder, String why) {
        try {
            installation.revocations().revoke(holder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        installation.revoked(holder.toString(), why);
    }
}
