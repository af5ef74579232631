// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.token;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import dev.writ.core.policy.Effect;
import dev.writ.trust.biscuit.Biscuit;
import dev.writ.trust.biscuit.Block;
import dev.writ.trust.biscuit.KeyPair;
import dev.writ.trust.biscuit.Predicate;
import dev.writ.trust.biscuit.Term;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenTest {
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    private final KeyPair root = KeyPair.make();
    private final KeyPair orchestrator = KeyPair.make();
    private final KeyPair coder = KeyPair.make();
    private final KeyPair helper = KeyPair.make();
    private final TokenVerifier verifier = verifier(Revocations.NONE);

    private TokenVerifier verifier(Revocations revocations) {
        return new TokenVerifier(root.key(), List.of(FilePath.of("/usr/bin")), revocations);
    }

    private static Grant grant(
            KeyPair holder, String name, Duration life, int depth, String... allowed) {
        return new Grant(
                holder.key(),
                Optional.of(name),
                Arrays.stream(allowed).map(c -> new Grant.Line(Effect.ALLOW, c)).toList(),
                NOW,
                NOW.plus(life),
                depth,
                Grant.Terms.NONE);
    }

    private Token first() {
        return Minting.mint(
                grant(
                        orchestrator,
                        "orchestrator",
                        Duration.ofHours(1),
                        2,
                        "write:/w/src/**",
                        "net:GET=https://a.test/**"),
                root);
    }

    private Token second() {
        return Narrowing.narrow(
                first(),
                grant(coder, "coder", Duration.ofMinutes(30), 1, "write:/w/src/**"),
                orchestrator);
    }

    private Token third() {
        return Narrowing.narrow(
                second(),
                grant(helper, "helper", Duration.ofMinutes(5), 0, "write:/w/src/test/**"),
                coder);
    }

    private VerifiedToken good(Token token) {
        return good(verifier, token, Use.at(NOW));
    }

    private static VerifiedToken good(TokenVerifier verifier, Token token, Use use) {
        var found = verifier.verify(Token.parse(token.text()), use);
        assertThat(found).isInstanceOf(Verification.Good.class);
        return ((Verification.Good) found).token();
    }

    private String reason(Token token, Use use) {
        return reason(verifier, token, use);
    }

    private static String reason(TokenVerifier verifier, Token token, Use use) {
        var found = verifier.verify(token, use);
        assertThat(found).isInstanceOf(Verification.Refused.class);
        return ((Verification.Refused) found).reason();
    }

    private static Action action(String text) {
        return Action.parse(
                text, new Scope(FilePath.ROOT, FilePath.ROOT, List.of(FilePath.of("/usr/bin"))));
    }

    private TokenDecision decide(Token token, String action) {
        return good(token).decide(action(action), Use.at(NOW));
    }

    @Test
    void each_holder_gives_on_less_and_a_helper_that_wants_more_is_refused_by_name() {
        assertThat(decide(first(), "net:GET=https://a.test/x"))
                .isEqualTo(new TokenDecision.Permitted());
        assertThat(decide(second(), "write:/w/src/main.py"))
                .isEqualTo(new TokenDecision.Permitted());
        assertThat(decide(third(), "write:/w/src/test/a.py"))
                .isEqualTo(new TokenDecision.Permitted());

        var refused = (TokenDecision.Refused) decide(third(), "write:/w/src/main.py");

        assertThat(refused.reason())
                .matches(
                        "block 2, given by coder \\([0-9a-f]{12}\\) to helper \\([0-9a-f]{12}\\), does not include `write:/w/src/main.py`");
        assertThat(good(third()).lineage())
                .matches("the issuer → orchestrator .* → coder .* → helper .*");
    }

    @Test
    void a_block_that_grants_more_grants_nothing_more() {
        var wider =
                Narrowing.append(
                        first(),
                        grant(coder, "coder", Duration.ofDays(9), 9, "write:/**", "shell:*"),
                        orchestrator);

        assertThat(decide(wider, "write:/w/src/a")).isEqualTo(new TokenDecision.Permitted());
        assertThat(decide(wider, "write:/etc/passwd")).isInstanceOf(TokenDecision.Refused.class);
        assertThat(decide(wider, "exec:/usr/bin/git")).isInstanceOf(TokenDecision.Refused.class);
        assertThat(reason(wider, Use.at(NOW.plus(Duration.ofHours(2)))))
                .startsWith("block 0, given by the issuer")
                .contains("expired");
        assertThatThrownBy(
                        () ->
                                Narrowing.narrow(
                                        first(),
                                        grant(coder, "c", Duration.ofMinutes(1), 0, "write:/**"),
                                        orchestrator))
                .isInstanceOf(TokenException.class)
                .hasMessageContaining("is more than orchestrator");
    }

    @Test
    void nobody_can_make_a_token_with_more_capabilities_than_are_read() {
        var whole =
                Minting.mint(
                        grant(orchestrator, "o", Duration.ofHours(1), 2, files("", 200)), root);
        var fits = grant(coder, "c", Duration.ofMinutes(1), 0, files("/part", 56));
        var tooMany = grant(coder, "c", Duration.ofMinutes(1), 0, files("/part", 57));
        assertThat(good(Narrowing.narrow(whole, fits, orchestrator))).isNotNull();
        assertThatThrownBy(() -> Narrowing.narrow(whole, tooMany, orchestrator))
                .hasMessageContaining("more than 256 different capabilities");
        // Whoever does not ask us whether it is sound gets nowhere either.
        assertThat(reason(Narrowing.append(whole, tooMany, orchestrator), Use.at(NOW)))
                .contains("more than 256 different capabilities");
        var alone = grant(coder, "c", Duration.ofHours(1), 2, files("", 257));
        assertThatThrownBy(() -> Minting.mint(alone, root))
                .hasMessageContaining("more than 256 different capabilities");
    }

    private static String[] files(String below, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "write:/w/" + i + below + "/**")
                .toArray(String[]::new);
    }

    @Test
    void only_the_holder_gives_on() {
        var stolen = first();
        assertThatThrownBy(
                        () ->
                                Narrowing.narrow(
                                        stolen,
                                        grant(helper, "h", Duration.ofMinutes(1), 0),
                                        helper))
                .isInstanceOf(TokenException.class);

        var forced =
                Narrowing.append(
                        stolen,
                        grant(helper, "h", Duration.ofMinutes(1), 0, "write:/w/src/**"),
                        helper);
        assertThat(reason(forced, Use.at(NOW)))
                .startsWith("block 1: it is not signed by its giver, orchestrator");

        // A block that the bearer adds without anybody's key, as any Biscuit library can.
        var added =
                Token.of(
                        stolen.biscuit()
                                .append(
                                        Block.of(
                                                List.of(
                                                        Predicate.of(
                                                                "delegate",
                                                                new Term.Bytes(
                                                                        helper.key().bytes()))),
                                                List.of(),
                                                List.of())));
        assertThat(reason(added, Use.at(NOW))).startsWith("block 1: it is not signed by its giver");
    }

    @Test
    void depth_is_what_the_first_givers_say() {
        assertThatThrownBy(
                        () ->
                                Narrowing.narrow(
                                        third(),
                                        grant(coder, "c", Duration.ofMinutes(1), 0),
                                        helper))
                .hasMessageContaining("may not be given on");
        var forced = Narrowing.append(third(), grant(coder, "c", Duration.ofMinutes(1), 9), helper);
        assertThat(reason(forced, Use.at(NOW))).startsWith("block 3: it was given on by helper");
    }

    @Test
    void time_is_kept_to_the_second() {
        var token = third();
        var end = NOW.plus(Duration.ofMinutes(5));
        good(verifier, token, Use.at(end.minusSeconds(1)));
        assertThat(reason(token, Use.at(end)))
                .contains("block 2, given by coder")
                .contains("expired at");
        assertThat(reason(token, Use.at(NOW.minusSeconds(61)))).contains("look at the clocks");
        good(verifier, token, Use.at(NOW.minusSeconds(59)));
        var late = good(token).decide(action("write:/w/src/test/a"), Use.at(end));
        assertThat(late).isInstanceOf(TokenDecision.Refused.class);
    }

    @Test
    void what_says_anything_else_is_no_token_of_ours() {
        var block =
                GrantBlock.write(
                        grant(orchestrator, "o", Duration.ofHours(1), 1, "read:/w/**"), true);
        var facts = new java.util.ArrayList<>(block.facts());
        facts.add(Predicate.of("allow", new Term.Text("read:/**")));
        var more = new Block(facts, block.rules(), block.checks(), List.of(), null);
        var fewer = new Block(block.facts(), block.rules(), List.of(), List.of(), null);
        for (var changed : List.of(more, fewer)) {
            assertThat(reason(Token.of(Biscuit.mint(changed, root)), Use.at(NOW)))
                    .startsWith("block 0: ");
        }
        good(Token.of(Biscuit.mint(block, root)));
        assertThat(
                        reason(
                                Token.of(
                                        Biscuit.mint(
                                                Block.of(List.of(), List.of(), List.of()), root)),
                                Use.at(NOW)))
                .isEqualTo("block 0: it names no holder");
        assertThatThrownBy(
                        () ->
                                Minting.mint(
                                        grant(coder, "c", Duration.ofHours(1), 1, "read:./x"),
                                        root))
                .isInstanceOf(TokenException.class);
        for (var life : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofDays(400))) {
            assertThatThrownBy(() -> Minting.mint(grant(coder, "c", life, 1, "read:/x"), root))
                    .isInstanceOf(TokenException.class);
        }
    }

    @Test
    void every_bit_counts() {
        byte[] bytes = java.util.Base64.getUrlDecoder().decode(second().text());
        for (int i = 0; i < bytes.length; i++) {
            byte[] changed = bytes.clone();
            changed[i] ^= 1;
            reason(new Token(changed), Use.at(NOW));
        }
        assertThatThrownBy(() -> Token.parse(second().text() + "="))
                .hasMessageContaining("not a token");
        assertThatThrownBy(() -> Token.parse("")).hasMessageContaining("not a token");
    }

    @Test
    void conditions_hold() {
        var terms =
                new Grant.Terms(
                        Optional.of("tests"),
                        Optional.of("A"),
                        Optional.of("proxy"),
                        Optional.empty());
        var plain = grant(coder, "c", Duration.ofHours(1), 0, "read:/w/**");
        var bound =
                new Grant(
                        plain.holder(),
                        plain.name(),
                        plain.lines(),
                        plain.issued(),
                        plain.expires(),
                        0,
                        terms);
        var token = Minting.mint(bound, root);
        var right = new Use(NOW, Optional.of("A"), Optional.of("proxy"));
        good(verifier, token, right);
        assertThat(reason(token, Use.at(NOW))).contains("is for another session");
        assertThat(reason(token, new Use(NOW, Optional.of("B"), Optional.of("proxy"))))
                .contains("another session");
        assertThat(reason(token, right.in("A").in("B"))).contains("another session");
        assertThat(reason(token, new Use(NOW, Optional.of("A"), Optional.of("files"))))
                .contains("another audience, `proxy`");
        var use = Use.at(NOW).in("A");
        good(named("other", "proxy"), token, use);
        assertThat(reason(named("other"), token, use)).contains("another audience");
        assertThat(reason(token, use)).contains("another audience");
        // who is asked for by name is not the verifier itself
        var files = new Use(NOW, Optional.of("A"), Optional.of("files"));
        assertThat(reason(named("proxy"), token, files)).contains("another audience");
    }

    private TokenVerifier named(String... names) {
        return new TokenVerifier(
                root.key(), List.of(), Revocations.NONE, () -> java.util.Set.of(names));
    }

    @Test
    void what_is_revoked_is_good_for_nothing_at_once_and_after_a_restart(@TempDir Path folder)
            throws IOException {
        var file = folder.resolve("state/revocations");
        var revocations = new RevocationFile(file);
        var revoking = verifier(revocations);
        var token = third();
        var verified = good(revoking, token, Use.at(NOW));
        revocations.revoke(verified.ids().get(1));
        assertThat(reason(revoking, token, Use.at(NOW)))
                .startsWith("block 1, given by orchestrator")
                .endsWith("is revoked");
        assertThat(verified.decide(action("write:/w/src/test/a"), Use.at(NOW)))
                .isInstanceOf(TokenDecision.Refused.class);
        assertThat(reason(verifier(new RevocationFile(file)), token, Use.at(NOW)))
                .contains("is revoked");
        var other = second();
        good(revoking, other, Use.at(NOW));
        revocations.revoke(coder.key());
        assertThat(reason(revoking, other, Use.at(NOW))).contains("is revoked");
        assertThat(Files.getPosixFilePermissions(file)).hasSize(2);
    }

    @Test
    void a_list_of_revocations_that_was_taken_away_stays_so(@TempDir Path folder)
            throws IOException, InterruptedException {
        var file = folder.resolve("revocations");
        var revocations = new RevocationFile(file);
        revocations.revoke("0".repeat(64));
        var revoking = verifier(revocations);
        good(revoking, first(), Use.at(NOW));
        for (var instead : List.of("", "token " + "1".repeat(64))) {
            Files.delete(file);
            if (!instead.isEmpty()) {
                Files.writeString(file, instead);
            }
            for (int look = 0; look < 3; look++) {
                Thread.sleep(250); // longer than a look is believed
                assertThat(reason(revoking, first(), Use.at(NOW)))
                        .contains("may be revoked", file.toString());
            }
            Files.writeString(file, ("token " + "0".repeat(64) + "\n").repeat(2));
            Thread.sleep(250);
            good(revoking, first(), Use.at(NOW));
        }
    }

    @Test
    void a_list_of_revocations_that_cannot_be_believed_revokes_everything(@TempDir Path folder)
            throws IOException {
        var file = folder.resolve("revocations");
        Files.writeString(file, "token 12\n");
        assertThat(reason(verifier(new RevocationFile(file)), first(), Use.at(NOW)))
                .contains("may be revoked", file.toString());
        // A line that was cut off was never acknowledged.
        Files.writeString(file, "token 12");
        good(verifier(new RevocationFile(file)), first(), Use.at(NOW));
        new RevocationFile(file).revoke("0".repeat(64));
        assertThat(Files.readString(file)).isEqualTo("token " + "0".repeat(64) + "\n");
    }

    @Test
    void an_action_is_handed_on_once_as_it_is() {
        var action = action("write:/w/src/a");
        byte[] arguments = "hello".getBytes(UTF_8);
        var token =
                ActionToken.of(
                        second(),
                        action,
                        arguments,
                        helper.key(),
                        NOW,
                        Duration.ofSeconds(30),
                        coder);
        var verified = good(token);
        var nonces = new Nonces();
        var use = Use.at(NOW);
        assertThat(verified.isSealed()).isTrue();
        assertThat(verified.decide(action, use)).isInstanceOf(TokenDecision.Refused.class);
        assertThat(ActionToken.redeem(verified, action("write:/w/src/b"), arguments, use, nonces))
                .isInstanceOf(TokenDecision.Refused.class);
        assertThat(ActionToken.redeem(verified, action, new byte[0], use, nonces))
                .isInstanceOf(TokenDecision.Refused.class);
        var permitted = new AtomicInteger();
        IntStream.range(0, 64)
                .parallel()
                .forEach(
                        _ -> {
                            if (ActionToken.redeem(verified, action, arguments, use, nonces)
                                    instanceof TokenDecision.Permitted) {
                                permitted.incrementAndGet();
                            }
                        });
        assertThat(permitted).hasValue(1);
        assertThat(
                        ActionToken.redeem(
                                verified,
                                action,
                                arguments,
                                Use.at(NOW.plusSeconds(30)),
                                new Nonces()))
                .isInstanceOf(TokenDecision.Refused.class);
        assertThatThrownBy(
                        () ->
                                ActionToken.of(
                                        second(),
                                        action,
                                        arguments,
                                        helper.key(),
                                        NOW,
                                        Duration.ofSeconds(61),
                                        coder))
                .isInstanceOf(TokenException.class);
    }

    @Test
    void a_token_without_its_holders_key_proves_nothing() {
        var token = second();
        byte[] nonce = new byte[32];
        byte[] channel = {7};
        var verified = good(token);
        byte[] proof = Possession.prove(token, nonce, channel, coder);
        assertThat(Possession.isProven(verified, nonce, channel, proof)).isTrue();
        assertThat(
                        Possession.isProven(
                                verified,
                                nonce,
                                channel,
                                Possession.prove(token, nonce, channel, orchestrator)))
                .isFalse();
        assertThat(Possession.isProven(verified, nonce, new byte[] {8}, proof)).isFalse();
        byte[] other = new byte[32];
        other[0] = 1;
        assertThat(Possession.isProven(verified, other, channel, proof)).isFalse();
        assertThat(Possession.isProven(good(third()), nonce, channel, proof)).isFalse();
    }

    @Test
    void what_is_remembered_is_not_taken_for_another() {
        var token = second();
        good(token);
        good(token);
        var stranger = new TokenVerifier(KeyPair.make().key(), List.of(), Revocations.NONE);
        assertThat(reason(stranger, token, Use.at(NOW)))
                .isEqualTo("block 0: its signature is not good");
        // a known beginning does not vouch for what follows it
        var blocks = new java.util.ArrayList<>(token.biscuit().blocks());
        blocks.set(1, third().biscuit().blocks().get(1));
        assertThat(
                        reason(
                                Token.of(new Biscuit(null, blocks, false, token.biscuit().proof())),
                                Use.at(NOW)))
                .startsWith("block 1: ");
    }
}
