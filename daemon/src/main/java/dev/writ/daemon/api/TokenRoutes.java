// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.api;

import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Text;
import dev.writ.runtime.record.Installation;
import dev.writ.trust.biscuit.BiscuitException;
import dev.writ.trust.biscuit.PublicKey;
import dev.writ.trust.key.Keys.Purpose;
import dev.writ.trust.token.Grant;
import dev.writ.trust.token.Narrowing;
import dev.writ.trust.token.Token;
import dev.writ.trust.token.TokenException;
import dev.writ.trust.token.TokenVerifier;
import dev.writ.trust.token.Use;
import dev.writ.trust.token.Verification;
import java.io.IOException;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Shows what a token says: who gave what to whom, until when.
public final class TokenRoutes {
    private final Installation installation;
    private final List<FilePath> programs;
    private final InstantSource clock;

    /// @param programs where programs are that are meant by their name alone
    public TokenRoutes(Installation installation, List<FilePath> programs, InstantSource clock) {
        this.installation = installation;
        this.programs = programs;
        this.clock = clock;
    }

    public List<Route> routes() {
        return List.of(Route.post("/v1/tokens/show", this::show));
    }

    private void show(Call call) throws IOException {
        String text =
                call.fields("token")
                        .text("token")
                        .orElseThrow(() -> ApiException.invalid("`token` is missing"));
        try {
            var token = Token.parse(text);
            var map = new LinkedHashMap<String, @Nullable Object>();
            map.put("sealed", token.biscuit().sealed());
            map.put("grants", Narrowing.grants(token).stream().map(TokenRoutes::grant).toList());
            verify(token, map);
            call.answer(map);
        } catch (BiscuitException | TokenException e) {
            throw ApiException.invalid(Text.shown(String.valueOf(e.getMessage())));
        }
    }

    /// With the key of this installation. None is made for that.
    private void verify(Token token, Map<String, @Nullable Object> map) {
        var keys = installation.keys();
        if (keys.since(Purpose.TOKEN).isEmpty()) {
            map.put("state", "unchecked");
            map.put("says", "this installation has issued no token, so it is another's");
            return;
        }
        var root = keys.signing(Purpose.TOKEN, Installation.ISSUER).verifying();
        var verifier =
                new TokenVerifier(
                        PublicKey.ed25519(root.point()), programs, installation.revocations());
        switch (verifier.verify(token, Use.at(clock.instant()))) {
            case Verification.Good(var good) -> {
                map.put("state", "verified");
                map.put("says", Text.shown(good.lineage()));
            }
            case Verification.Refused(var reason) -> {
                map.put("state", "refused");
                map.put("says", Text.shown(reason));
            }
        }
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
