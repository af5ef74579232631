// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.api;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.Capability;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import dev.writ.core.capability.SyntaxException;
import dev.writ.core.capability.Text;
import dev.writ.core.policy.Effect;
import dev.writ.daemon.sandbox.Challenges;
import dev.writ.runtime.Config;
import dev.writ.runtime.Tokens;
import dev.writ.trust.biscuit.BiscuitException;
import dev.writ.trust.token.Grant;
import dev.writ.trust.token.Narrowing;
import dev.writ.trust.token.Token;
import dev.writ.trust.token.TokenDecision;
import dev.writ.trust.token.TokenException;
import dev.writ.trust.token.Use;
import dev.writ.trust.token.Verification;
import dev.writ.trust.token.VerifiedToken;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/// Makes, narrows, shows, verifies and takes back tokens. What takes a key of this installation is
/// the operator's.
public final class TokenRoutes {
    private final Tokens tokens;
    private final Challenges challenges;
    private final Config config;
    private final Operator operator;

    public TokenRoutes(Tokens tokens, Challenges challenges, Config config, Operator operator) {
        this.tokens = tokens;
        this.challenges = challenges;
        this.config = config;
        this.operator = operator;
    }

    private interface Work {
        void on(Call call) throws IOException;
    }

    public List<Route> routes() {
        return List.of(
                Route.post("/v1/tokens/challenges", this::challenge),
                Route.post("/v1/tokens/holders", c -> made(c, this::holder)),
                Route.post("/v1/tokens/mint", c -> made(c, this::mint)),
                Route.post("/v1/tokens/narrow", c -> made(c, this::narrow)),
                Route.post("/v1/tokens/revoke", c -> made(c, this::revoke)),
                Route.post("/v1/tokens/show", c -> read(c, this::show)),
                Route.post("/v1/tokens/verify", c -> read(c, this::verify)));
    }

    private void made(Call call, Work work) throws IOException {
        operator.check(call, "what is done with a key of this installation");
        read(call, work);
    }

    private static void read(Call call, Work work) throws IOException {
        try {
            work.on(call);
        } catch (BiscuitException | TokenException e) {
            throw ApiException.invalid(Text.shown(String.valueOf(e.getMessage())));
        } catch (SyntaxException e) {
            throw ApiException.invalid(Text.shown(e.explanation()));
        }
    }

    private void challenge(Call call) throws IOException {
        call.fields();
        var made = challenges.make();
        var map = new LinkedHashMap<String, @Nullable Object>();
        map.put("challenge", made.challenge().session().value());
        map.put("nonce", HexFormat.of().formatHex(made.challenge().nonce()));
        map.put("until", made.until().toString());
        call.answer(201, map);
    }

    private void holder(Call call) throws IOException {
        String name = needed(call.fields("name"), "name");
        call.answer(201, Map.of("key", tokens.newHolder(name).toString()));
    }

    private void mint(Call call) throws IOException {
        answer(call, tokens.mint(giving(call.fields(GIVING))));
    }

    private void narrow(Call call) throws IOException {
        var names = new ArrayList<>(List.of(GIVING));
        names.addAll(List.of("token", "by"));
        var fields = call.fields(names.toArray(String[]::new));
        var giver = tokens.signer(needed(fields, "by"));
        answer(call, tokens.narrow(TokenAsk.token(fields), giver, giving(fields)));
    }

    private static void answer(Call call, Token token) throws IOException {
        call.answer(201, Map.of("token", token.text()));
    }

    private static final String[] GIVING = {
        "for",
        "workspace",
        "allow",
        "ask",
        "deny",
        "ttl_ms",
        "depth",
        "purpose",
        "session",
        "audience"
    };

    private Tokens.Giving giving(Fields fields) {
        var scope = scope(fields);
        var lines = new ArrayList<Grant.Line>();
        for (var effect : Effect.values()) {
            if (fields.has(effect.word())) {
                for (var text : fields.texts(effect.word())) {
                    var capability = Capability.parse(text, scope);
                    lines.add(new Grant.Line(effect, capability.text(Scope.SPELLED_OUT)));
                }
            }
        }
        if (lines.isEmpty()) {
            throw ApiException.invalid("say what it permits, in `allow`");
        }
        long life = fields.number("ttl_ms", 0, 1000, Grant.LONGEST.toMillis());
        long depth = fields.number("depth", -1, 0, Grant.DEEPEST);
        return new Tokens.Giving(
                needed(fields, "for"),
                lines,
                life == 0 ? Optional.empty() : Optional.of(Duration.ofSeconds(life / 1000)),
                depth < 0 ? OptionalInt.empty() : OptionalInt.of((int) depth),
                new Grant.Terms(
                        fields.text("purpose"),
                        fields.text("session"),
                        fields.text("audience"),
                        Optional.empty()));
    }

    private static String needed(Fields fields, String name) {
        return fields.text(name)
                .orElseThrow(() -> ApiException.invalid("`" + name + "` is missing"));
    }

    /// Of what is written from the workspace; without one everything is to be spelled out.
    private Scope scope(Fields fields) {
        return fields.path("workspace", Optional.empty())
                .map(config::scope)
                .orElse(Scope.SPELLED_OUT);
    }

    private void revoke(Call call) throws IOException {
        var fields = call.fields("token", "block", "holder");
        if (fields.has("token") == fields.has("holder")) {
            throw ApiException.invalid("one of `token` and `holder` is needed");
        }
        String why = "revoked by the operator";
        if (fields.has("holder")) {
            tokens.revoke(tokens.holder(needed(fields, "holder")), why);
        } else {
            var blocks = TokenAsk.token(fields).biscuit().verify(tokens.root()).blocks();
            int last = blocks.size() - 1;
            tokens.revoke(blocks.get((int) fields.number("block", last, 0, last)).id(), why);
        }
        call.nothing();
    }

    private void show(Call call) throws IOException {
        var token = TokenAsk.token(call.fields("token"));
        var map = new LinkedHashMap<String, @Nullable Object>();
        map.put("sealed", token.biscuit().sealed());
        map.put("grants", Narrowing.grants(token).stream().map(TokenRoutes::grant).toList());
        var _ = state(token, Use.at(tokens.clock().instant()), map);
        call.answer(map);
    }

    private void verify(Call call) throws IOException {
        var fields = call.fields("token", "workspace", "actions", "session", "audience");
        var use =
                new Use(tokens.clock().instant(), fields.text("session"), fields.text("audience"));
        var map = new LinkedHashMap<String, @Nullable Object>();
        var good = state(TokenAsk.token(fields), use, map);
        if (good.isPresent() && fields.has("actions")) {
            var scope = scope(fields);
            map.put(
                    "decisions",
                    fields.texts("actions").stream()
                            .map(a -> decision(a, good.get().decide(Action.parse(a, scope), use)))
                            .toList());
        }
        call.answer(map);
    }

    /// With the key of this installation. None is made for that.
    private Optional<VerifiedToken> state(Token token, Use use, Map<String, @Nullable Object> map) {
        if (!tokens.hasRoot()) {
            map.put("state", "unchecked");
            map.put("says", "this installation has issued no token, so it is another's");
            return Optional.empty();
        }
        var programs = config.scope(FilePath.ROOT).programs();
        return switch (tokens.verifier(tokens.root(), programs).verify(token, use)) {
            case Verification.Good(var good) -> {
                map.put("state", "verified");
                map.put("says", Text.shown(good.lineage()));
                yield Optional.of(good);
            }
            case Verification.Refused(var reason) -> {
                map.put("state", "refused");
                map.put("says", Text.shown(reason));
                yield Optional.empty();
            }
        };
    }

    private static Map<String, @Nullable Object> decision(String action, TokenDecision decision) {
        var map = new LinkedHashMap<String, @Nullable Object>();
        map.put("action", Text.shown(action));
        switch (decision) {
            case TokenDecision.Permitted _ -> map.put("decision", "allow");
            case TokenDecision.Ask(var reason, _) -> {
                map.put("decision", "ask");
                map.put("reason", Text.shown(reason));
            }
            case TokenDecision.Refused(var reason, _) -> {
                map.put("decision", "deny");
                map.put("reason", Text.shown(reason));
            }
        }
        return map;
    }

    private static Map<String, @Nullable Object> grant(Grant grant) {
        var map = new LinkedHashMap<String, @Nullable Object>();
        var terms = grant.terms();
        map.put("who", Text.shown(grant.who()));
        map.put("holder", grant.holder().toString());
        map.put("issued", grant.issued().toString());
        map.put("expires", grant.expires().toString());
        map.put("depth", grant.depth());
        map.put("once", terms.single().isPresent());
        map.put(
                "rules",
                grant.lines().stream()
                        .map(l -> Wire.rule(l.effect().word(), l.capability(), ""))
                        .toList());
        terms.purpose().ifPresent(p -> map.put("purpose", Text.shown(p)));
        terms.session().ifPresent(s -> map.put("session", Text.shown(s)));
        terms.audience().ifPresent(a -> map.put("audience", Text.shown(a)));
        return map;
    }
}
