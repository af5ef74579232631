// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.harness;

import dev.writ.core.audit.InMemoryAuditLog;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.Capability;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import dev.writ.core.capability.SyntaxException;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Source;
import dev.writ.runtime.Config;
import dev.writ.runtime.SessionNames;
import dev.writ.runtime.SessionToken;
import dev.writ.runtime.Writ;
import dev.writ.runtime.policy.PolicyLoader;
import dev.writ.trust.biscuit.Biscuit;
import dev.writ.trust.biscuit.BiscuitException;
import dev.writ.trust.biscuit.KeyPair;
import dev.writ.trust.biscuit.SignedBlock;
import dev.writ.trust.token.ActionToken;
import dev.writ.trust.token.Grant;
import dev.writ.trust.token.Minting;
import dev.writ.trust.token.Narrowing;
import dev.writ.trust.token.Nonces;
import dev.writ.trust.token.RevocationFile;
import dev.writ.trust.token.Token;
import dev.writ.trust.token.TokenDecision;
import dev.writ.trust.token.TokenException;
import dev.writ.trust.token.TokenVerifier;
import dev.writ.trust.token.Use;
import dev.writ.trust.token.Verification;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Writ's tokens. All are held by one key, which the attacker of a case does not have unless it is
/// the holder that attacks.
final class IssuedTokens implements Harness.Tokens {
    private static final Instant MADE = Instant.parse("2026-03-01T12:00:00Z");
    private static final Scope SCOPE =
            new Scope(FilePath.ROOT, FilePath.ROOT, List.of(FilePath.of("/usr/bin")));

    private final KeyPair root = KeyPair.make();
    private final KeyPair holder = KeyPair.make();
    private final Harness.Place place;
    private final RevocationFile revocations;
    private final TokenVerifier verifier;
    private final Nonces nonces = new Nonces();

    IssuedTokens(Harness.Place place) {
        this.place = place;
        this.revocations = new RevocationFile(place.folder().resolve("tokens/revocations"));
        this.verifier = new TokenVerifier(root.key(), SCOPE.programs(), revocations);
    }

    /// The corpus is older than our language for files.
    private static String ours(String text) {
        return text.startsWith("fs:") ? text.substring(3) : text;
    }

    /// An action names the file of its program.
    private static String exact(String request) {
        return request.startsWith("exec:") && request.indexOf('/') < 0
                ? "exec:/usr/bin/" + request.substring(5)
                : request;
    }

    private Grant grant(List<String> capabilities, String life, Map<String, String> bound) {
        var lines = new ArrayList<Grant.Line>();
        for (var text : capabilities) {
            String capability = ours(text).equals("exec:*") ? "shell:*" : ours(text);
            lines.add(
                    new Grant.Line(
                            Effect.ALLOW,
                            Capability.parse(capability, SCOPE).text(Scope.SPELLED_OUT)));
        }
        var single =
                Optional.ofNullable(bound.get("once"))
                        .map(_ -> new Grant.Single(ActionToken.nonce(), Optional.empty()));
        var terms =
                new Grant.Terms(
                        Optional.empty(),
                        Optional.ofNullable(bound.get("session")),
                        Optional.ofNullable(bound.get("audience")),
                        single);
        long seconds = Long.parseLong(life);
        return new Grant(
                holder.key(), Optional.empty(), lines, MADE, MADE.plusSeconds(seconds), 3, terms);
    }

    @Override
    public String mint(List<String> capabilities, String life, Map<String, String> bound) {
        try {
            return Minting.mint(grant(capabilities, life, bound), root).text();
        } catch (RuntimeException e) {
            return "";
        }
    }

    @Override
    public String attenuate(String token, List<String> capabilities, String life) {
        return Narrowing.append(Token.parse(token), grant(capabilities, life, Map.of()), holder)
                .text();
    }

    @Override
    public String delegate(String token, List<String> capabilities) {
        try {
            return Narrowing.narrow(Token.parse(token), grant(capabilities, "30", Map.of()), holder)
                    .text();
        } catch (TokenException e) {
            return attenuate(token, capabilities, "30");
        }
    }

    @Override
    public boolean verify(String token, String request, long after, Map<String, String> bound) {
        var use =
                new Use(
                        MADE.plus(Duration.ofSeconds(after)),
                        Optional.ofNullable(bound.get("session")),
                        Optional.ofNullable(bound.get("audience")));
        try {
            var action = Action.parse(exact(ours(request)), SCOPE);
            if (!(verifier.verify(Token.parse(token), use)
                    instanceof Verification.Good(var good))) {
                return false;
            }
            var decision =
                    good.single().isPresent()
                            ? ActionToken.redeem(good, action, new byte[0], use, nonces)
                            : good.decide(action, use);
            return decision instanceof TokenDecision.Permitted;
        } catch (BiscuitException | SyntaxException e) {
            return false;
        }
    }

    @Override
    public void revoke(String token) {
        try {
            revocations.revoke(
                    Token.parse(token).biscuit().verify(root.key()).blocks().getLast().id());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public List<String> stripped(String token, List<String> capabilities) {
        var stranger = KeyPair.make();
        var forged = Minting.mint(grant(capabilities, "60", Map.of()), stranger).biscuit();
        var block = forged.blocks().getFirst();
        var tries = new ArrayList<String>();
        for (int version = 0; version < 2; version++) {
            for (byte[] signature : List.of(new byte[0], new byte[64], block.signature())) {
                var other =
                        new SignedBlock(block.payload(), block.nextKey(), signature, null, version);
                tries.add(text(new Biscuit(null, List.of(other), false, forged.proof())));
                tries.add(text(new Biscuit(null, List.of(other), true, new byte[0])));
            }
        }
        return tries;
    }

    @Override
    public List<String> shortened(String token) {
        var biscuit = Token.parse(token).biscuit();
        var fewer = biscuit.blocks().subList(0, biscuit.blocks().size() - 1);
        return List.of(
                text(new Biscuit(null, fewer, false, biscuit.proof())),
                text(new Biscuit(null, fewer, true, biscuit.proof())),
                text(new Biscuit(null, fewer, true, biscuit.blocks().getLast().signature())));
    }

    private static String text(Biscuit biscuit) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(biscuit.bytes());
    }

    /// The broker holds the token; a program of the session gets none of it.
    @Override
    public String run(String command, String token) {
        try {
            var folder = Files.createDirectory(place.folder().resolve("session"));
            var here = FilePath.of(folder.toString());
            var variables = Map.of("PATH", "/usr/bin:/bin", "HOME", "/nowhere", "LANG", "C.UTF-8");
            var config = Config.of(folder, variables);
            var policy =
                    new PolicyLoader(config.scope(here), config.ownFolders())
                            .profile("workspace", Source.of("probe"))
                            .load();
            var log = new InMemoryAuditLog();
            try (var session =
                    new Writ(variables).open(present(token, policy), here, "probe", log)) {
                var outcome = session.run(List.of("bash", "-c", command));
                return outcome.output() + outcome.errors() + log.events();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    private SessionToken present(String text, Policy policy) {
        var token = Token.parse(text);
        var challenge = SessionToken.Challenge.of(SessionNames.next());
        return SessionToken.present(
                token,
                challenge,
                challenge.prove(token, holder),
                new TokenVerifier(root.key(), policy.scope().programs(), revocations),
                policy,
                InstantSource.fixed(MADE));
    }
}
