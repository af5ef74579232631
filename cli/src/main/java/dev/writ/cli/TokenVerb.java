// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.SyntaxException;
import dev.writ.core.capability.Text;
import dev.writ.trust.Json;
import dev.writ.trust.biscuit.BiscuitException;
import dev.writ.trust.biscuit.PublicKey;
import dev.writ.trust.token.Narrowing;
import dev.writ.trust.token.Token;
import dev.writ.trust.token.TokenDecision;
import dev.writ.trust.token.TokenException;
import dev.writ.trust.token.TokenVerifier;
import dev.writ.trust.token.Use;
import dev.writ.trust.token.Verification;
import dev.writ.trust.token.VerifiedToken;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Makes, narrows, shows, verifies and revokes capability tokens. They come and go as text.
final class TokenVerb implements Verb {
    static final int LONGEST = 200_000;
    private static final Option BLOCK =
            new Option("block", "N", "revoke: from this block on, 0 is the first");

    @Override
    public Manual manual() {
        return new Manual(
                "token",
                "make, narrow, show, verify or revoke capability tokens",
                "mint | narrow | show | verify [ACTION...] | revoke | holder new NAME",
                List.of(
                        "writ token holder new coder",
                        "writ token mint --for coder --allow 'write:./src/**' --ttl 1h > coder.token",
                        "writ token narrow --by coder --for helper --allow read:./src < coder.token",
                        "writ token verify --key ed25519/... write:./src/a.py < coder.token",
                        "writ token revoke --block 0 < coder.token"),
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
                case "holder" -> holder(making, words, world);
                default ->
                        throw new UsageException(
                                "use `writ token mint`, `narrow`, `show`, `verify`, `revoke` or"
                                        + " `holder new NAME`");
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
        world.out().println(making.newHolder(words.get(2)));
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
        var verifier = new TokenVerifier(making.root(), making.programs(), making.revocations());
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
        try {
            if (arguments.has(TokenMaking.FOR)) {
                PublicKey key = making.holder(arguments.value(TokenMaking.FOR).orElseThrow());
                making.revocations().revoke(key);
                making.record(key.toString());
                world.out().println("revoked: all that " + key + " was ever given");
                return ExitCode.OK;
            }
            var verified = read(world).biscuit().verify(making.root());
            int block =
                    TokenMaking.number(
                            arguments
                                    .value(BLOCK)
                                    .orElse(String.valueOf(verified.blocks().size() - 1)),
                            verified.blocks().size() - 1);
            String id = verified.blocks().get(block).id();
            making.revocations().revoke(id);
            making.record(id);
            world.out().println("revoked: block " + block + ", and every token that comes from it");
            return ExitCode.OK;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
