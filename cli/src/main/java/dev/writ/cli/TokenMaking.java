// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.capability.Capability;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Source;
import dev.writ.runtime.policy.PolicyLoader;
import dev.writ.runtime.record.Installation;
import dev.writ.trust.biscuit.PublicKey;
import dev.writ.trust.biscuit.Signer;
import dev.writ.trust.file.WholeFile;
import dev.writ.trust.key.Keys.Purpose;
import dev.writ.trust.key.SigningKey;
import dev.writ.trust.key.VerifyingKey;
import dev.writ.trust.token.Grant;
import dev.writ.trust.token.Minting;
import dev.writ.trust.token.Narrowing;
import dev.writ.trust.token.RevocationFile;
import dev.writ.trust.token.Token;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What the flags of `writ token` ask for, and where its keys lie.
final class TokenMaking {
    static final Option FOR =
            new Option("for", "HOLDER", "who gets it: a name from `holder new`, or a key");
    static final Option BY = new Option("by", "HOLDER", "narrow: whose it is now, by name");
    static final Option TTL = new Option("ttl", "TIME", "how long it lives: 30s, 10m, 1h, 7d");
    static final Option DEPTH =
            new Option("depth", "N", "how often it may be given on; mint: 3, narrow: 1 less");
    static final Option PURPOSE = new Option("purpose", "TEXT", "what it is for, in words");
    static final Option SESSION = new Option("session", "ID", "good for this session only");
    static final Option AUDIENCE = new Option("audience", "NAME", "good for this taker only");
    static final Option KEY =
            new Option("key", "PUB", "the issuer's public key, or a file with it");

    private static final int DEFAULT_DEPTH = 3;

    private final Arguments arguments;
    private final World world;
    private final Path state;

    TokenMaking(Arguments arguments, World world) {
        this.arguments = arguments;
        this.world = world;
        this.state = Recorded.installation(world).state();
    }

    Scope scope() {
        var config = world.config();
        return config.scope(config.folder());
    }

    List<FilePath> programs() {
        return scope().programs();
    }

    RevocationFile revocations() {
        return new Installation(state).revocations();
    }

    /// Writes down, in the log of the installation, what was revoked.
    void record(String what) {
        new Installation(state)
                .revoked(what, "revoked by " + System.getProperty("user.name", "somebody"));
    }

    /// The key that the issuer's signatures are verified with.
    PublicKey root() {
        return arguments
                .value(KEY)
                .map(this::key)
                .orElseGet(() -> PublicKey.ed25519(rootKey().verifying().point()));
    }

    private SigningKey rootKey() {
        return new Installation(state).keys().signing(Purpose.TOKEN, Installation.ISSUER);
    }

    private PublicKey key(String word) {
        var file = PolicyOptions.path(word, world);
        String text =
                (Files.isRegularFile(file)
                                ? new String(Recorded.read(word, 10_000, world), UTF_8)
                                : word)
                        .strip();
        return text.startsWith("ed25519/")
                ? PublicKey.parse(text)
                : PublicKey.ed25519(VerifyingKey.parse(text).point());
    }

    private Path holderFile(String name) {
        if (!name.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,59}")) {
            throw new UsageException("a holder's name is letters, digits, `.`, `_` and `-`");
        }
        return state.resolve("holders").resolve(name + ".pem");
    }

    /// Makes a key for a holder, and gives its public half.
    PublicKey newHolder(String name) {
        var file = holderFile(name);
        if (Files.exists(file)) {
            throw new UsageException("there is a holder `" + name + "` already: `" + file + "`");
        }
        try {
            WholeFile.privateFolder(state.resolve("holders"));
            var key = SigningKey.make("writ/holder/" + name);
            key.save(file);
            return PublicKey.ed25519(key.verifying().point());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    PublicKey holder(String word) {
        if (word.startsWith("ed25519/")) {
            return PublicKey.parse(word);
        }
        return PublicKey.ed25519(load(word).verifying().point());
    }

    private SigningKey load(String name) {
        var file = holderFile(name);
        if (!Files.exists(file)) {
            throw new UsageException(
                    "there is no holder `"
                            + name
                            + "` here; `writ token holder new "
                            + name
                            + "` makes one");
        }
        return SigningKey.load(file, "writ/holder/" + name);
    }

    /// The key of a holder, by its name or its file.
    Signer signer(String word) {
        return Signer.of(
                word.indexOf('/') >= 0 || word.endsWith(".pem")
                        ? SigningKey.load(PolicyOptions.path(word, world), "writ/holder")
                        : load(word));
    }

    /// The holder of this installation that has this key.
    Optional<Signer> signerOf(PublicKey key) {
        var folder = state.resolve("holders");
        if (!Files.isDirectory(folder)) {
            return Optional.empty();
        }
        try (var files = Files.list(folder)) {
            return files.filter(f -> f.toString().endsWith(".pem"))
                    .map(f -> Signer.of(SigningKey.load(f, "writ/holder")))
                    .filter(s -> s.key().equals(key))
                    .findFirst();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Token mint() {
        var now = now();
        int depth = number(arguments.value(DEPTH).orElse("" + DEFAULT_DEPTH), Grant.DEEPEST);
        return Minting.mint(
                grant(now, now.plus(life().orElse(Duration.ofHours(1))), depth),
                Signer.of(rootKey()));
    }

    /// Half of the life that is left, if nothing is said.
    Token narrow(Token token) {
        var before = Narrowing.grants(token);
        var now = now();
        var end = before.stream().map(Grant::expires).min(Instant::compareTo).orElseThrow();
        var half = Duration.between(now, end).dividedBy(2);
        var expires =
                life().map(now::plus)
                        .orElse(Instant.ofEpochSecond(now.plus(half).getEpochSecond()));
        int left = Math.max(0, before.getLast().depth() - 1);
        int depth = number(arguments.value(DEPTH).orElse("" + left), Grant.DEEPEST);
        String by =
                arguments
                        .value(BY)
                        .orElseThrow(() -> new UsageException("`--by` names who gives it on"));
        return Narrowing.narrow(token, grant(now, expires, depth), Signer.of(load(by)));
    }

    private static Instant now() {
        return Instant.ofEpochSecond(InstantSource.system().instant().getEpochSecond());
    }

    private Grant grant(Instant issued, Instant expires, int depth) {
        String whom =
                arguments
                        .value(FOR)
                        .orElseThrow(() -> new UsageException("`--for` names who gets it"));
        var terms =
                new Grant.Terms(
                        arguments.value(PURPOSE),
                        arguments.value(SESSION),
                        arguments.value(AUDIENCE),
                        Optional.empty());
        return new Grant(
                holder(whom),
                Optional.of(whom).filter(w -> !w.startsWith("ed25519/")),
                lines(),
                issued,
                expires,
                depth,
                terms);
    }

    private List<Grant.Line> lines() {
        var lines = new ArrayList<Grant.Line>();
        if (arguments.has(PolicyOptions.POLICY)) {
            rules(PolicyOptions.load(arguments, world), lines);
        } else {
            for (var flag : arguments.flags()) {
                if (flag.option().equals(PolicyOptions.PROFILE)) {
                    var loader = new PolicyLoader(scope(), List.of());
                    loader.profile(flag.value(), Source.of("--profile"));
                    rules(loader.load(), lines);
                }
                for (var effect : Effect.values()) {
                    if (flag.option().name().equals(effect.word())) {
                        var capability = Capability.parse(flag.value(), scope());
                        lines.add(new Grant.Line(effect, capability.text(Scope.SPELLED_OUT)));
                    }
                }
            }
        }
        if (lines.isEmpty()) {
            throw new UsageException("say what it permits: `--allow CAP`, or `--policy FILE`");
        }
        return lines.stream().distinct().toList();
    }

    private static void rules(Policy policy, List<Grant.Line> lines) {
        for (var rule : policy.rules()) {
            lines.add(new Grant.Line(rule.effect(), rule.capability().text(Scope.SPELLED_OUT)));
        }
    }

    private Optional<Duration> life() {
        return arguments
                .value(TTL)
                .map(
                        text -> {
                            if (!text.matches("[1-9][0-9]{0,6}[smhd]")) {
                                throw new UsageException(
                                        "`--ttl` is like 30s, 10m, 1h or 7d: `" + text + "`");
                            }
                            long amount = Long.parseLong(text.substring(0, text.length() - 1));
                            return switch (text.charAt(text.length() - 1)) {
                                case 's' -> Duration.ofSeconds(amount);
                                case 'm' -> Duration.ofMinutes(amount);
                                case 'h' -> Duration.ofHours(amount);
                                default -> Duration.ofDays(amount);
                            };
                        });
    }

    static int number(String text, int most) {
        if (!text.matches("[0-9]{1,3}") || Integer.parseInt(text) > most) {
            throw new UsageException("a number from 0 to " + most + " is expected: `" + text + "`");
        }
        return Integer.parseInt(text);
    }
}
