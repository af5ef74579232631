// SPDX-License-Identifier: Apache-2.0
package dev.writ.bench;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.Scope;
import dev.writ.core.policy.Effect;
import dev.writ.trust.biscuit.Authorizer;
import dev.writ.trust.biscuit.Biscuit;
import dev.writ.trust.biscuit.Block;
import dev.writ.trust.biscuit.Check;
import dev.writ.trust.biscuit.Evaluation;
import dev.writ.trust.biscuit.KeyPair;
import dev.writ.trust.biscuit.Limits;
import dev.writ.trust.biscuit.LogicPolicy;
import dev.writ.trust.biscuit.Outcome;
import dev.writ.trust.biscuit.Predicate;
import dev.writ.trust.biscuit.Rule;
import dev.writ.trust.biscuit.Term;
import dev.writ.trust.token.Grant;
import dev.writ.trust.token.Minting;
import dev.writ.trust.token.Narrowing;
import dev.writ.trust.token.Revocations;
import dev.writ.trust.token.Token;
import dev.writ.trust.token.TokenVerifier;
import dev.writ.trust.token.Use;
import dev.writ.trust.token.Verification;
import dev.writ.trust.token.VerifiedToken;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// What tokens cost: to verify one of three blocks for the first time and again, to decide an
/// action, to give one on; and what the worst ones cost before they are refused.
final class TokenBench {
    private static final int ROUNDS = 40;
    private static final Instant NOW = Instant.ofEpochSecond(1_800_000_000);
    private static final Use USE = Use.at(NOW);

    private final KeyPair root = KeyPair.make();
    private final KeyPair first = KeyPair.make();
    private final KeyPair second = KeyPair.make();
    private final KeyPair third = KeyPair.make();
    private final Token one = Minting.mint(grant(first, 3, "write:/project/src"), root);
    private final Token two =
            Narrowing.narrow(one, grant(second, 2, "write:/project/src/a"), first);
    private final Token three =
            Narrowing.narrow(two, grant(third, 1, "write:/project/src/a/b"), second);

    private TokenBench() {}

    private static Grant grant(KeyPair holder, int depth, String capability) {
        return new Grant(
                holder.key(),
                Optional.of("somebody"),
                List.of(
                        new Grant.Line(Effect.ALLOW, capability),
                        new Grant.Line(Effect.ALLOW, "net:GET=https://a.example"),
                        new Grant.Line(Effect.ALLOW, "read:/usr")),
                NOW,
                NOW.plusSeconds(3600),
                depth,
                Grant.Terms.NONE);
    }

    static void run() {
        new TokenBench().all();
    }

    private void all() {
        heading("token of three blocks");
        byte[] plain = plain().bytes();
        measure(
                "verify, cold, no holders",
                20,
                () -> Biscuit.parse(plain).verify(root.key()).blocks());
        var authorizer = authorizer();
        var known = Biscuit.parse(plain).verify(root.key());
        measure("authorize, no holders", 200, () -> allowed(authorizer.authorize(known)));
        var verifier = verifier();
        measure("verify, cold", 20, () -> good(verifier().verify(three, USE)));
        measure("verify, warm", 2_000, () -> good(verifier.verify(three, USE)));
        var token = good(verifier.verify(three, USE));
        var action = Action.parse("write:/project/src/a/b/file", Scope.SPELLED_OUT);
        measure("decide", 2_000, () -> token.decide(action, USE));
        measure(
                "give on, offline",
                20,
                () -> Narrowing.narrow(three, grant(first, 0, "write:/project/src/a/b/c"), third));
        System.out.println();
        heading("hostile");
        HostileTokens.all(root)
                .forEach(
                        (name, bytes) ->
                                measure(name, 1, () -> refused(verifier().verify(bytes, USE))));
        HostileTokens.evaluated(root).forEach((name, work) -> measure(name, 1, work));
    }

    /// What other users of Biscuit have: blocks that whoever has the token has added.
    private Biscuit plain() {
        var token = Biscuit.mint(block("write"), root);
        return token.append(block("write")).append(block("write"));
    }

    private static Block block(String kind) {
        var fact = Predicate.of("right", new Term.Text("file"), new Term.Text(kind));
        return Block.of(
                List.of(fact), List.of(), List.of(new Check(Check.Kind.IF, List.of(asked()))));
    }

    private static Rule asked() {
        return Rule.query(
                List.of(Predicate.of("asked", new Term.Variable("x"))), List.of(), List.of());
    }

    private static Authorizer authorizer() {
        var own =
                Block.of(
                        List.of(Predicate.of("asked", new Term.Text("write"))),
                        List.of(),
                        List.of());
        return new Authorizer(
                own, List.of(new LogicPolicy(true, List.of(asked()))), Limits.DEFAULT);
    }

    private static void allowed(Evaluation evaluation) {
        if (!(evaluation.outcome() instanceof Outcome.Allowed)) {
            throw new IllegalStateException(evaluation.outcome().toString());
        }
    }

    private TokenVerifier verifier() {
        return new TokenVerifier(root.key(), List.of(), Revocations.NONE);
    }

    private static VerifiedToken good(Verification verification) {
        return switch (verification) {
            case Verification.Good(var token) -> token;
            case Verification.Refused(var reason) -> throw new IllegalStateException(reason);
        };
    }

    private static void refused(Verification verification) {
        if (!(verification instanceof Verification.Refused)) {
            throw new IllegalStateException("it was taken");
        }
    }

    /// The median of the rounds and the best one by the clock; the median and the worst by what was
    /// used of processors, the thread that helps included.
    private static void measure(String what, int times, Runnable work) {
        double[] wall = new double[ROUNDS];
        double[] used = new double[ROUNDS];
        for (int i = -ROUNDS; i < ROUNDS; i++) {
            long before = used();
            long start = System.nanoTime();
            for (int j = 0; j < times; j++) {
                work.run();
            }
            long took = System.nanoTime() - start;
            if (i >= 0) {
                wall[i] = took / 1e3 / times;
                used[i] = (used() - before) / 1e3 / times;
            }
        }
        Arrays.sort(wall);
        Arrays.sort(used);
        System.out.printf(
                Locale.ROOT,
                "%-44s %9.1f us %9.1f us %9.1f us %9.1f us%n",
                what,
                wall[ROUNDS / 2],
                wall[0],
                used[ROUNDS / 2],
                used[ROUNDS - 1]);
    }

    private static long used() {
        var threads = ManagementFactory.getThreadMXBean();
        long sum = threads.getCurrentThreadCpuTime();
        for (var thread : threads.getThreadInfo(threads.getAllThreadIds())) {
            if (thread != null && thread.getThreadName().equals("writ-token")) {
                sum += Math.max(0, threads.getThreadCpuTime(thread.getThreadId()));
            }
        }
        return sum;
    }

    private static void heading(String what) {
        System.out.printf(
                "%-44s %12s %12s %12s %12s%n", what, "wall", "least", "processor", "most");
    }
}
