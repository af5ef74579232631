// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import static dev.writ.trust.log.Durability.BEFORE_EFFECT;
import static dev.writ.trust.log.Durability.SOON;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.writ.trust.key.SigningKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogTest {
    @TempDir Path folder;

    private final SigningKey key = SigningKey.make("log.example/1");

    static byte[] entry(long i) {
        return ("entry " + i + " " + "x".repeat((int) (i % 50))).getBytes(UTF_8);
    }

    static void fill(Log log, int count) {
        for (int i = 0; i < count; i++) {
            log.append(entry(log.size()), SOON);
        }
    }

    @Test
    void what_is_appended_can_be_read_verified_and_proved() {
        for (int size : List.of(0, 1, 2, 3, 255, 256, 257, 700, 65_537)) {
            var log = folder.resolve("log" + size);
            try (var writer = Log.open(log, key)) {
                fill(writer, size);

                var checkpoint = writer.sign();

                assertThat(checkpoint.size()).isEqualTo(size);
                assertThat(checkpoint.origin()).isEqualTo("log.example/1");
            }
            var keys = List.of(key.verifying());
            var verified = LogVerifier.verify(log, keys);
            assertThat(verified.checkpoint().size()).isEqualTo(size);
            assertThat(verified.unsigned()).isZero();
            assertRead(log, size);
            for (long i = 0; i < size; i += 1 + size / 20) {
                var receipt = Receipt.of(log, i, keys);
                var again = Receipt.parse(receipt.text().getBytes(UTF_8));
                assertThat(again.check(entry(i), keys).size()).isEqualTo(size);
                long wrong = i + 1;
                assertThatThrownBy(() -> again.check(entry(wrong), keys))
                        .isInstanceOf(LogException.class);
            }
        }
    }

    /// As it is left by who is killed between the two places where a head is written.
    @Test
    void a_head_that_is_in_the_list_only_counts() throws Exception {
        var log = folder.resolve("log");
        byte[] earlier;
        try (var writer = Log.open(log, key)) {
            fill(writer, 300);
            writer.sign();
            earlier = Files.readAllBytes(log.resolve("checkpoint"));
            fill(writer, 20);
            writer.sign();
        }
        Files.write(log.resolve("checkpoint"), earlier);

        var verified = LogVerifier.verify(log, List.of(key.verifying()));

        assertThat(verified.checkpoint().size()).isEqualTo(320);
        var list = log.resolve("checkpoints.log");
        Files.writeString(list, Files.readString(list).replace("\n320\n", "\n319\n"));
        assertThatThrownBy(() -> LogVerifier.verify(log, List.of(key.verifying())))
                .isInstanceOf(LogException.class);
    }

    static void assertRead(Path log, long size) {
        var reader = new LogReader(log, 0);
        for (long i = 0; i < size; i++) {
            assertThat(reader.next()).isEqualTo(entry(i));
        }
        assertThat(reader.next()).isNull();
    }

    @Test
    void each_earlier_checkpoint_is_the_beginning_of_each_later_one() {
        var checkpoints = new ArrayList<Checkpoint>();
        try (var log = Log.open(folder.resolve("log"), key)) {
            for (int i = 0; i < 40; i++) {
                checkpoints.add(log.sign());
                fill(log, 1 + i * 7 % 60);
            }
            checkpoints.add(log.sign());
        }
        var keys = List.of(key.verifying());
        var last = checkpoints.getLast();
        for (var earlier : checkpoints) {
            Consistency.check(folder.resolve("log"), earlier, keys);
            var proof = Consistency.proof(folder.resolve("log"), earlier.size(), last.size());
            var other =
                    new Checkpoint(
                            earlier.origin(), earlier.size() + 1, earlier.root(), earlier.note());
            assertThat(Consistency.proves(earlier, last, proof)).isTrue();
            assertThat(Consistency.proves(other, last, proof)).isFalse();
        }
    }

    @Test
    void a_log_goes_on_where_it_ended() {
        for (int i = 0; i < 300; i++) {
            try (var log = Log.open(folder.resolve("log"), key)) {
                assertThat(log.size()).isEqualTo(i * 3L);
                assertThat(log.recovery().dropped()).isZero();
                log.append(entry(i * 3L), BEFORE_EFFECT);
                fill(log, 2);
                if (i % 3 != 0) {
                    log.sign();
                }
            }
        }
        assertThat(LogVerifier.verify(folder.resolve("log"), List.of(key.verifying())))
                .extracting(v -> v.checkpoint().size() + v.unsigned())
                .isEqualTo(900L);
        assertRead(folder.resolve("log"), 900);
    }

    @Test
    void many_threads_get_an_entry_each() throws Exception {
        Set<Long> seen = ConcurrentHashMap.newKeySet();
        try (var log = Log.open(folder.resolve("log"), key);
                var threads = Executors.newFixedThreadPool(16)) {
            var tasks = new ArrayList<Callable<Boolean>>();
            for (int t = 0; t < 16; t++) {
                var how = t % 2 == 0 ? BEFORE_EFFECT : SOON;
                tasks.add(
                        () -> {
                            boolean fresh = true;
                            for (int i = 0; i < 200; i++) {
                                fresh &= seen.add(log.append(entry(i), how));
                            }
                            return fresh;
                        });
            }
            for (var answer : threads.invokeAll(tasks)) {
                assertThat(answer.get()).isTrue();
            }
            assertThat(log.sign().size()).isEqualTo(3200);
        }
        assertThat(seen).hasSize(3200);
        LogVerifier.verify(folder.resolve("log"), List.of(key.verifying()));
    }

    @Test
    void a_log_has_one_writer() {
        try (var log = Log.open(folder.resolve("log"), key)) {
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> Log.open(folder.resolve("log"), key))
                        .isInstanceOf(LogException.class)
                        .hasMessageContaining("is being written by another process");
            }
            log.append(entry(0), BEFORE_EFFECT);
        }
        Log.open(folder.resolve("log"), key, List.of(), Duration.ofSeconds(5)).close();
    }

    @Test
    void a_closed_log_takes_nothing() {
        var log = Log.open(folder.resolve("log"), key);
        log.close();

        assertThatThrownBy(() -> log.append(entry(0), SOON)).isInstanceOf(LogException.class);
        assertThatThrownBy(log::sign).isInstanceOf(LogException.class);
        log.close();
    }

    @Test
    void an_entry_has_a_longest_and_a_shortest_length() {
        try (var log = Log.open(folder.resolve("log"), key)) {
            log.append(new byte[65_535], BEFORE_EFFECT);
            log.append(new byte[0], BEFORE_EFFECT);
            assertThatThrownBy(() -> log.append(new byte[65_536], SOON))
                    .isInstanceOf(LogException.class)
                    .hasMessageContaining("65536");
            assertThat(log.sign().size()).isEqualTo(2);
        }
        LogVerifier.verify(folder.resolve("log"), List.of(key.verifying()));
        var reader = new LogReader(folder.resolve("log"), 1);
        assertThat(reader.next()).isEmpty();
    }

    @Test
    void several_are_appended_one_behind_the_other() {
        try (var log = Log.open(folder.resolve("log"), key)) {
            assertThat(log.append(List.of(entry(0), entry(1), entry(2)), BEFORE_EFFECT)).isZero();
            assertThat(log.append(List.of(), BEFORE_EFFECT)).isEqualTo(3);
            assertThat(log.append(List.of(entry(3), entry(4)), SOON)).isEqualTo(3);
            assertThatThrownBy(() -> log.append(List.of(entry(5), new byte[65_536]), SOON))
                    .hasMessageContaining("65536");
            assertThat(log.sign().size()).isEqualTo(5);
        }
        assertRead(folder.resolve("log"), 5);
    }

    @Test
    void whoever_is_interrupted_does_not_break_the_log() {
        try (var log = Log.open(folder.resolve("log"), key)) {
            for (int i = 0; i < 20; i++) {
                Thread.currentThread().interrupt();
                log.append(entry(i), BEFORE_EFFECT);
                log.sign();
                assertThat(Thread.interrupted()).isTrue();
            }
        }
        assertRead(folder.resolve("log"), 20);
    }

    @Test
    void a_reader_follows_a_writer() {
        var reader = new LogReader(folder.resolve("log"), 0);
        assertThat(reader.next()).isNull();
        try (var log = Log.open(folder.resolve("log"), key)) {
            for (int i = 0; i < 2000; i++) {
                log.append(entry(i), i % 7 == 0 ? BEFORE_EFFECT : SOON);
                if (i % 300 == 0) {
                    log.sign();
                }
                if (i % 7 == 0) {
                    while (reader.index() <= i) {
                        long at = reader.index();
                        assertThat(reader.next()).isEqualTo(entry(at));
                    }
                    assertThat(reader.next()).isNull();
                }
            }
        }
    }

    @Test
    void a_key_that_took_over_goes_on_with_the_log() {
        var next = SigningKey.make("log.example/1");
        try (var log = Log.open(folder.resolve("log"), key)) {
            fill(log, 10);
            log.sign();
        }
        try (var log = Log.open(folder.resolve("log"), next)) {
            fill(log, 10);
            assertThatThrownBy(log::sign).hasMessageContaining("not signed by a key");
        }
        var earlier = List.of(key.verifying());
        try (var log = Log.open(folder.resolve("log"), next, earlier, Duration.ZERO)) {
            assertThat(log.sign().size()).isEqualTo(20);
        }
        LogVerifier.verify(folder.resolve("log"), List.of(next.verifying()));
        assertThatThrownBy(() -> LogVerifier.verify(folder.resolve("log"), earlier))
                .isInstanceOf(LogException.class);
    }
}
