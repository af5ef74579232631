// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.audit.SessionId;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.SyntaxException;
import dev.writ.core.capability.Text;
import dev.writ.runtime.SessionToken;
import dev.writ.trust.Json;
import dev.writ.trust.biscuit.BiscuitException;
import dev.writ.trust.token.Narrowing;
import dev.writ.trust.token.Token;
import dev.writ.trust.token.TokenDecision;
import dev.writ.trust.token.TokenException;
import dev.writ.trust.token.Use;
import dev.writ.trust.token.Verification;
import dev.writ.trust.token.VerifiedToken;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Makes, narrows, shows, verifies and revokes capability tokens. They come and go as text.
final class TokenVerb implements Verb {
    static final int LONGEST = 200_000;
    private static final Option BLOCK =
            new Option("block", "N", "revoke: from this block on, 0 is the first");
    private static final Option NONCE =
            new Option("nonce", "HEX", "prove: what the API wants to have signed");

    @Override
    public Manual manual() {
        return new Manual(
                "token",
                "make, narrow, show, verify or revoke capability tokens",
                "mint|narrow|show|verify [ACTION...]|revoke|prove|holder new NAME",
                List.of(
                        "writ token holder new coder",
                        "writ token mint --for coder --allow 'write:./src/**' --ttl 1h > coder.token",
                        "writ token narrow --by coder --for helper --allow read:./src < coder.token",
                        "writ token verify --key ed25519/... write:./src/a.py < coder.token"),
                List.of(
                        PolicyOptions.ALLOW,
                        PolicyOptions.ASK,
                        PolicyOptions.DENY,
                        PolicyOptions.POLICY,
                        PolicyOptions.PROFILE,
                        TokenMaking.FOR,
                        TokenMaking.BY,
                        TokenMaking.TTL,
                        TokenMaking.DEPTH,
                        TokenMaking.PURPOSE,
                        TokenMaking.SESSION,
                        TokenMaking.AUDIENCE,
                        TokenMaking.KEY,
                        BLOCK,
                        NONCE,
                        Option.JSON));
    }

    @Override
    public int run(Arguments arguments, World world) {
        arguments.refuseCommand();
        var words = arguments.words();
        var making = new TokenMaking(arguments, world);
        try {
            return switch (words.isEmpty() ? "" : words.getFirst()) {
                case "mint" -> print(making.mint(), world);
                case "narrow" -> print(making.narrow(read(world)), world);
                case "show" -> show(arguments, world);
                case "verify" -> verify(making, arguments, world);
                case "revoke" -> revoke(making, arguments, world);
                case "prove" -> prove(making, arguments, world);
                case "holder" -> holder(making, words, world);
                default ->
                        throw new UsageException(
                                "use `writ token mint`, `narrow`, `show`, `verify`, `revoke`,"
                                        + " `prove` or `holder new NAME`");
            };
        } catch (TokenException | BiscuitException e) {
            throw new UsageException(Text.shown(String.valueOf(e.getMessage())));
        } catch (SyntaxException e) {
            throw new UsageException(e.getMessage() + (e.hint().isEmpty() ? "" : "; " + e.hint()));
        }
    }

    private static int print(Token token, World world) {
        world.out().println(token.text());
        return ExitCode.OK;
    }

    private static Token read(World world) {
        try {
            byte[] bytes = world.in().readNBytes(LONGEST);
            return Token.parse(new String(bytes, UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int holder(TokenMaking making, List<String> words, World world) {
        if (words.size() != 3 || !words.get(1).equals("new")) {
            throw new UsageException("use `writ token holder new NAME`");
        }
        world.out().println(making.tokens().newHolder(words.get(2)));
        return ExitCode.OK;
    }

    private static int show(Arguments arguments, World world) {
        var token = read(world);
        var grants = Narrowing.grants(token);
        if (arguments.has(Option.JSON)) {
            grants.forEach(g -> world.out().println(Json.write(TokenView.json(g))));
        } else {
            new TokenView(world.paint(), InstantSource.system().instant())
                    .show(grants, token.biscuit().sealed(), world.out());
        }
        return ExitCode.OK;
    }

    private static int verify(TokenMaking making, Arguments arguments, World world) {
        var verifier = making.verifier(making.scope().programs());
        var use =
                new Use(
                        InstantSource.system().instant(),
                        arguments.value(TokenMaking.SESSION),
                        arguments.value(TokenMaking.AUDIENCE));
        return switch (verifier.verify(read(world), use)) {
            case Verification.Refused(var reason) ->
                    answer(false, Optional.empty(), reason, arguments, world);
            case Verification.Good(var token) -> verify(token, use, making, arguments, world);
        };
    }

    private static int verify(
            VerifiedToken token, Use use, TokenMaking making, Arguments arguments, World world) {
        var actions = arguments.words().subList(1, arguments.words().size());
        if (actions.isEmpty()) {
            return answer(true, Optional.empty(), "good: " + token.lineage(), arguments, world);
        }
        int code = ExitCode.OK;
        for (var text : actions) {
            var decision = token.decide(Action.parse(text, making.scope()), use);
            code =
                    Math.max(
                            code,
                            switch (decision) {
                                case TokenDecision.Permitted _ ->
                                        answer(
                                                true,
                                                Optional.of(text),
                                                "permitted: " + token.lineage(),
                                                arguments,
                                                world);
                                case TokenDecision.Ask(var reason, _) ->
                                        answer(
                                                true,
                                                Optional.of(text),
                                                "permitted if the operator says so: " + reason,
                                                arguments,
                                                world);
                                case TokenDecision.Refused(var reason, _) ->
                                        answer(false, Optional.of(text), reason, arguments, world);
                            });
        }
        return code;
    }

    private static int answer(
            boolean good,
            Optional<String> action,
            String reason,
            Arguments arguments,
            World world) {
        if (arguments.has(Option.JSON)) {
            var map = new LinkedHashMap<String, @Nullable Object>();
            map.put("good", good);
            action.ifPresent(a -> map.put("action", a));
            map.put("reason", reason);
            world.out().println(Json.write(map));
        } else {
            var paint = world.paint();
            String word = paint.outcome(good ? "verified" : "refused");
            world.out().println(word + " " + Text.shown(reason));
        }
        return good ? ExitCode.OK : ExitCode.DENIED;
    }

    private static int revoke(TokenMaking making, Arguments arguments, World world) {
        String why = "revoked by " + System.getProperty("user.name", "somebody");
        if (arguments.has(TokenMaking.FOR)) {
            var key = making.tokens().holder(arguments.value(TokenMaking.FOR).orElseThrow());
            making.tokens().revoke(key, why);
            world.out().println("revoked: all that " + key + " was ever given");
            return ExitCode.OK;
        }
        var blocks = read(world).biscuit().verify(making.root()).blocks();
        int last = blocks.size() - 1;
        int block = TokenMaking.number(arguments.value(BLOCK).orElse("" + last), last);
        making.tokens().revoke(blocks.get(block).id(), why);
        world.out().println("revoked: block " + block + ", and every token that comes from it");
        return ExitCode.OK;
    }

    /// For whoever opens a session elsewhere, by the API.
    private static int prove(TokenMaking making, Arguments arguments, World world) {
        var session =
                arguments
                        .value(TokenMaking.SESSION)
                        .filter(SessionId::isValid)
                        .orElseThrow(() -> new UsageException("`--session` names the session"));
        String nonce =
                arguments
                        .value(NONCE)
                        .filter(n -> n.matches("[0-9a-f]{64}"))
                        .orElseThrow(
                                () -> new UsageException("`--nonce` is 64 hexadecimal digits"));
        var challenge =
                new SessionToken.Challenge(new SessionId(session), HexFormat.of().parseHex(nonce));
        byte[] proof = challenge.prove(read(world), making.signer(making.giver()));
        world.out().println(HexFormat.of().formatHex(proof));
        return ExitCode.OK;
    }
}
