// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.capability.Capability;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Source;
import dev.writ.runtime.Tokens;
import dev.writ.runtime.policy.PolicyLoader;
import dev.writ.trust.biscuit.PublicKey;
import dev.writ.trust.biscuit.Signer;
import dev.writ.trust.key.SigningKey;
import dev.writ.trust.key.VerifyingKey;
import dev.writ.trust.token.Grant;
import dev.writ.trust.token.Token;
import dev.writ.trust.token.TokenVerifier;
import java.nio.file.Files;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

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
    static final Option AUDIENCE =
            new Option("audience", "NAME", "good where `writ keys export log` says so");
    static final Option KEY =
            new Option("key", "PUB", "the issuer's public key, or a file with it");

    private final Arguments arguments;
    private final World world;
    private final Tokens tokens;

    TokenMaking(Arguments arguments, World world) {
        this.arguments = arguments;
        this.world = world;
        this.tokens = new Tokens(Recorded.installation(world), InstantSource.system());
    }

    Tokens tokens() {
        return tokens;
    }

    Scope scope() {
        var config = world.config();
        return config.scope(config.folder());
    }

    /// Takes tokens of the issuer that is named, else of this installation.
    TokenVerifier verifier(List<FilePath> programs) {
        return tokens.verifier(root(), programs);
    }

    /// The key that the issuer's signatures are verified with.
    PublicKey root() {
        return arguments.value(KEY).map(this::key).orElseGet(tokens::root);
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

    /// The key of a holder, by its name or its file.
    Signer signer(String word) {
        return word.indexOf('/') >= 0 || word.endsWith(".pem")
                ? Signer.of(SigningKey.load(PolicyOptions.path(word, world), "writ/holder"))
                : tokens.signer(word);
    }

    Token mint() {
        return tokens.mint(giving());
    }

    Token narrow(Token token) {
        return tokens.narrow(token, tokens.signer(giver()), giving());
    }

    /// Whose token it is now.
    String giver() {
        return arguments
                .value(BY)
                .orElseThrow(() -> new UsageException("`--by` names whose token it is"));
    }

    private Tokens.Giving giving() {
        return new Tokens.Giving(
                arguments
                        .value(FOR)
                        .orElseThrow(() -> new UsageException("`--for` names who gets it")),
                lines(),
                life(),
                arguments
                        .value(DEPTH)
                        .map(d -> OptionalInt.of(number(d, Grant.DEEPEST)))
                        .orElse(OptionalInt.empty()),
                new Grant.Terms(
                        arguments.value(PURPOSE),
                        arguments.value(SESSION),
                        arguments.value(AUDIENCE),
                        Optional.empty()));
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
        return lines;
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
