// SPDX-License-Identifier: Apache-2.0
package dev.writ.bench;

import dev.writ.core.policy.Effect;
import dev.writ.trust.biscuit.Authorizer;
import dev.writ.trust.biscuit.Biscuit;
import dev.writ.trust.biscuit.Block;
import dev.writ.trust.biscuit.Check;
import dev.writ.trust.biscuit.Expression;
import dev.writ.trust.biscuit.Expression.Binary;
import dev.writ.trust.biscuit.Expression.Value;
import dev.writ.trust.biscuit.KeyPair;
import dev.writ.trust.biscuit.Limits;
import dev.writ.trust.biscuit.Predicate;
import dev.writ.trust.biscuit.PublicKey;
import dev.writ.trust.biscuit.Rule;
import dev.writ.trust.biscuit.SignedBlock;
import dev.writ.trust.biscuit.Term;
import dev.writ.trust.token.Grant;
import dev.writ.trust.token.Minting;
import dev.writ.trust.token.Narrowing;
import dev.writ.trust.token.Token;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/// Tokens that are well signed, and made to cost as much as possible.
final class HostileTokens {
    private static final Instant NOW = Instant.ofEpochSecond(1_800_000_000);
    private static final Term X = new Term.Variable("x");
    private static final Term Y = new Term.Variable("y");
    private static final Term Z = new Term.Variable("z");

    private HostileTokens() {}

    /// For the verifier of Writ, which evaluates nothing. All are refused.
    static Map<String, Token> all(KeyPair root) {
        var tokens = new LinkedHashMap<String, Token>();
        tokens.put("as many signatures as are checked", signatures(root));
        tokens.put("256 capabilities, then a bad block", capabilities(root, 1, 256));
        tokens.put("one capability 1,800 times, then a bad block", capabilities(root, 4, 1));
        tokens.put("keys that signed nothing", keys(root));
        tokens.put(
                "1,000 facts",
                token(Biscuit.mint(Block.of(numbers(1_000), List.of(), List.of()), root)));
        tokens.put("30 blocks of others", token(others(root)));
        return tokens;
    }

    /// For whoever evaluates Biscuits of others.
    static Map<String, Runnable> evaluated(KeyPair root) {
        var work = new LinkedHashMap<String, Runnable>();
        var cross = new Rule(Predicate.of("p", X, Y), List.of(n(X), n(Y)), List.of(), List.of());
        work.put(
                "evaluate: facts multiply",
                evaluate(root, numbers(500), List.of(cross), List.of()));
        var never =
                new Rule(
                        Predicate.of("p", X),
                        List.of(n(X), n(Y), n(Z)),
                        List.of(
                                Expression.of(
                                        new Value(Z), new Value(new Term.Int(0)), Binary.LESS)),
                        List.of());
        work.put("evaluate: joins", evaluate(root, numbers(500), List.of(never), List.of()));
        var chain =
                IntStream.range(0, 120)
                        .mapToObj(
                                i ->
                                        new Rule(
                                                Predicate.of("n" + (i + 1), X),
                                                List.of(Predicate.of("n" + i, X)),
                                                List.of(),
                                                List.of()))
                        .toList();
        work.put(
                "evaluate: rounds",
                evaluate(root, List.of(Predicate.of("n0", new Term.Int(1))), chain, List.of()));
        work.put(
                "evaluate: regular expressions",
                evaluate(root, texts(30, 1_000), List.of(), List.of(matches("^(a|a)*(a|a)*b$"))));
        work.put(
                "evaluate: unfolding expressions",
                evaluate(
                        root,
                        texts(40, 200),
                        List.of(),
                        List.of(matches("((a{1,9}){1,9}){1,9}b"))));
        return work;
    }

    private static Runnable evaluate(
            KeyPair root, List<Predicate> facts, List<Rule> rules, List<Check> checks) {
        byte[] bytes = Biscuit.mint(Block.of(facts, rules, checks), root).bytes();
        var own = Block.of(List.of(), List.of(), List.of());
        var authorizer = new Authorizer(own, List.of(), Limits.DEFAULT);
        return () -> authorizer.authorize(Biscuit.parse(bytes).verify(root.key()));
    }

    private static Check matches(String expression) {
        var op = Expression.of(new Value(X), new Value(new Term.Text(expression)), Binary.REGEX);
        var query = Rule.query(List.of(Predicate.of("t", X)), List.of(op), List.of());
        return new Check(Check.Kind.IF, List.of(query));
    }

    private static Predicate n(Term term) {
        return Predicate.of("n", term);
    }

    private static List<Predicate> numbers(int count) {
        return IntStream.range(0, count).mapToObj(i -> n(new Term.Int(i))).toList();
    }

    private static List<Predicate> texts(int count, int length) {
        return IntStream.range(0, count)
                .mapToObj(i -> Predicate.of("t", new Term.Text("a".repeat(length) + i)))
                .toList();
    }

    private static Token signatures(KeyPair root) {
        var token = Biscuit.mint(Block.of(numbers(1), List.of(), List.of()), root);
        for (int i = 0; i < 15; i++) {
            token = token.append(Block.of(numbers(1), List.of(), List.of()), root);
        }
        return token(token);
    }

    private static Biscuit others(KeyPair root) {
        var token = Biscuit.mint(Block.of(numbers(30), List.of(), List.of()), root);
        for (int i = 0; i < 30; i++) {
            token = token.append(Block.of(numbers(30), List.of(), List.of()));
        }
        return token;
    }

    /// Good, until its last block turns out to be no grant.
    private static Token capabilities(KeyPair root, int blocks, int different) {
        IntFunction<Grant.Line> line =
                i ->
                        new Grant.Line(
                                Effect.ALLOW,
                                "net:GET=https://*.a"
                                        + i % different
                                        + ".example:8443/v*/**/x*y/**");
        Token token = null;
        for (int depth = 15; depth > 15 - blocks; depth--) {
            var grant =
                    new Grant(
                            root.key(),
                            Optional.empty(),
                            IntStream.range(0, different == 1 ? 450 : different)
                                    .mapToObj(line)
                                    .toList(),
                            NOW,
                            NOW.plusSeconds(60),
                            depth,
                            Grant.Terms.NONE);
            token =
                    token == null
                            ? Minting.mint(grant, root)
                            : Narrowing.append(token, grant, root);
        }
        return token(token.biscuit().append(Block.of(numbers(1), List.of(), List.of()), root));
    }

    /// As many keys of the costlier kind as fit, in blocks that nobody signed.
    private static Token keys(KeyPair root) {
        var key =
                PublicKey.parse(
                        "secp256r1/036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296");
        var block =
                new SignedBlock(
                        new byte[0],
                        key,
                        new byte[0],
                        new SignedBlock.External(key, new byte[0]),
                        1);
        var blocks =
                new ArrayList<>(
                        Biscuit.mint(Block.of(numbers(1), List.of(), List.of()), root).blocks());
        blocks.addAll(Collections.nCopies(330, block));
        return token(new Biscuit(null, blocks, false, root.secret()));
    }

    private static Token token(Biscuit biscuit) {
        return Token.parse(Base64.getUrlEncoder().withoutPadding().encodeToString(biscuit.bytes()));
    }
}
