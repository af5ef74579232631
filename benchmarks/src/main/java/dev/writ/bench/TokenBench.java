// SPDX-License-Identifier: Apache-2.0
package dev.writ.bench;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.Scope;
import dev.writ.core.policy.Effect;
import dev.writ.trust.biscuit.KeyPair;
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
        System.out.printf(
                "%-44s %12s %12s %12s%n", "token of three blocks", "wall", "processor", "most");
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
        System.out.printf("%n%-44s %12s %12s %12s%n", "hostile", "wall", "processor", "most");
        HostileTokens.all(root)
                .forEach(
                        (name, bytes) ->
                                measure(name, 1, () -> refused(verifier().verify(bytes, USE))));
        HostileTokens.evaluated(root).forEach((name, work) -> measure(name, 1, work));
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

    /// The median of the rounds, by the clock and by what this thread used of its processor, and
    /// the worst round.
    private static void measure(String what, int times, Runnable work) {
        var threads = ManagementFactory.getThreadMXBean();
        double[] wall = new double[ROUNDS];
        double[] used = new double[ROUNDS];
        for (int i = -ROUNDS; i < ROUNDS; i++) {
            long start = System.nanoTime();
            long before = threads.getCurrentThreadCpuTime();
            for (int j = 0; j < times; j++) {
                work.run();
            }
            if (i >= 0) {
                used[i] = (threads.getCurrentThreadCpuTime() - before) / 1e3 / times;
                wall[i] = (System.nanoTime() - start) / 1e3 / times;
            }
        }
        Arrays.sort(wall);
        Arrays.sort(used);
        System.out.printf(
                Locale.ROOT,
                "%-44s %9.1f us %9.1f us %9.1f us%n",
                what,
                wall[ROUNDS / 2],
                used[ROUNDS / 2],
                used[ROUNDS - 1]);
    }
}
