// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Two threads look at the signatures of a token. Nobody can tell from the verdict.
class SignaturesTest {
    private final KeyPair root = KeyPair.make();

    /// Good ones, but for those whose numbers are given.
    private static Signatures signatures(int count, Integer... bad) {
        var signatures = new Signatures();
        for (int i = 0; i < count; i++) {
            boolean good = !List.of(bad).contains(i);
            signatures.add(() -> good, "number " + i);
        }
        return signatures;
    }

    @Test
    void it_is_the_first_bad_one_that_is_told_of() {
        for (int round = 0; round < 200; round++) {
            assertThatCode(() -> signatures(6).verify()).doesNotThrowAnyException();
            for (int first = 0; first < 6; first++) {
                var signatures = signatures(6, first, 5);
                assertThatThrownBy(signatures::verify).hasMessage("number " + first);
            }
        }
    }

    @Test
    void who_finds_the_other_thread_stuck_goes_without() {
        var free = new CountDownLatch(1);
        var stuck = new CountDownLatch(1);
        for (int i = 0; i < 30 && stuck.getCount() > 0; i++) {
            occupy(stuck, free); // it may not have come to the end of another token yet
        }
        assertThat(stuck.getCount()).as("the other thread came").isZero();
        var looked = new AtomicInteger();
        var second = new Signatures();
        for (int i = 0; i < 8; i++) {
            second.add(() -> looked.incrementAndGet() < 8, "the last");
        }
        assertThatThrownBy(second::verify).hasMessage("the last");
        assertThat(looked).hasValue(8);
        free.countDown();
    }

    /// Lets the other thread, if it comes, wait for `free`.
    private static void occupy(CountDownLatch stuck, CountDownLatch free) {
        var caller = Thread.currentThread();
        var signatures = new Signatures();
        signatures.add(
                () -> {
                    await(stuck, 1);
                    return true;
                },
                "");
        signatures.add(() -> true, "");
        signatures.add(
                () -> {
                    if (Thread.currentThread().equals(caller)) {
                        return true;
                    }
                    stuck.countDown();
                    return await(free, 60);
                },
                "");
        assertThatCode(signatures::verify).doesNotThrowAnyException();
    }

    private static boolean await(CountDownLatch latch, int seconds) {
        try {
            return latch.await(seconds, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            return false;
        }
    }

    @Test
    void what_cannot_be_looked_at_is_not_good() {
        for (int round = 0; round < 100; round++) {
            var signatures = signatures(4);
            signatures.add(
                    () -> {
                        throw new IllegalStateException("no answer");
                    },
                    "");
            assertThatThrownBy(signatures::verify).hasMessage("no answer");
        }
    }

    @Test
    void many_tokens_at_once_get_the_verdicts_that_each_gets_alone() throws Exception {
        var good = Biscuit.mint(Block.of(List.of(), List.of(), List.of()), root);
        for (int i = 0; i < 3; i++) {
            good = good.append(Block.of(List.of(), List.of(), List.of()), root);
        }
        var tokens = new ArrayList<Biscuit>(List.of(good));
        var expected = new ArrayList<String>(List.of("good"));
        for (int i = 1; i < 4; i++) {
            var blocks = new ArrayList<>(good.blocks());
            var block = blocks.get(i);
            byte[] other = block.signature().clone();
            other[40] ^= 1;
            blocks.set(
                    i,
                    new SignedBlock(block.payload(), block.nextKey(), other, block.external(), 1));
            tokens.add(new Biscuit(null, blocks, false, good.proof()));
            expected.add("block " + i + ": its signature is not good");
        }
        tokens.add(new Biscuit(null, good.blocks(), false, root.secret()));
        expected.add("the proof at its end does not fit its last block");

        try (var threads = Executors.newFixedThreadPool(8)) {
            var work =
                    IntStream.range(0, 400)
                            .<Callable<String>>mapToObj(i -> () -> verdict(tokens.get(i % 5)))
                            .toList();
            var verdicts = threads.invokeAll(work);
            for (int i = 0; i < verdicts.size(); i++) {
                assertThat(verdicts.get(i).get()).isEqualTo(expected.get(i % 5));
            }
        }
    }

    private String verdict(Biscuit token) {
        try {
            token.verify(root.key());
            return "good";
        } catch (BiscuitException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
