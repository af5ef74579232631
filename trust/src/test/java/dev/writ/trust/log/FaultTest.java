// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import static dev.writ.trust.log.Durability.BEFORE_EFFECT;
import static dev.writ.trust.log.Durability.SOON;
import static dev.writ.trust.log.LogTest.entry;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.writ.trust.key.SigningKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A disk that fails in the ways that disks do.
class FaultTest {
    @TempDir Path folder;

    private final SigningKey key = SigningKey.make("log.example/1");

    private enum Fault {
        NO_SPACE_AT_ONCE,
        SHORT_WRITE,
        SYNC_FAILS,
        FILES_FAIL
    }

    /// Fails from some operation on, for good.
    private static final class FailingDisk extends Disk {
        private final Fault fault;
        private int left;

        FailingDisk(Fault fault, int left) {
            this.fault = fault;
            this.left = left;
        }

        private synchronized boolean fails() {
            return --left < 0;
        }

        @Override
        Tape tape(Path path) throws IOException {
            var real = super.tape(path);
            return new Tape() {
                @Override
                public void write(byte[] bytes, int length) throws IOException {
                    if (fault == Fault.NO_SPACE_AT_ONCE && fails()) {
                        throw new IOException("No space left on device");
                    }
                    if (fault == Fault.SHORT_WRITE && fails()) {
                        real.write(bytes, length / 2);
                        throw new IOException("No space left on device");
                    }
                    real.write(bytes, length);
                    if (fault == Fault.SYNC_FAILS && fails()) {
                        throw new IOException("Input/output error");
                    }
                }

                @Override
                public void close() throws IOException {
                    real.close();
                }
            };
        }

        @Override
        void replace(Path path, byte[] bytes, int length, boolean durably) throws IOException {
            if (fault == Fault.FILES_FAIL && fails()) {
                throw new IOException("Input/output error");
            }
            super.replace(path, bytes, length, durably);
        }
    }

    @Test
    void after_a_failure_nothing_is_acknowledged_and_nothing_acknowledged_is_lost() {
        for (var fault : Fault.values()) {
            for (int after = 0; after < 12; after += 1 + after) {
                var log = folder.resolve(fault + "-" + after);
                long acknowledged = 0;
                boolean failed = false;
                var disk = new FailingDisk(fault, after);
                try (var writer = Log.open(log, key, List.of(), Duration.ZERO, disk)) {
                    for (int i = 0; i < 300; i++) {
                        try {
                            assertThat(writer.append(entry(i), BEFORE_EFFECT)).isEqualTo(i);
                            acknowledged = i + 1L;
                            assertThat(failed).as("accepted after a failure").isFalse();
                            if (i % 100 == 50) {
                                writer.sign();
                            }
                        } catch (LogException e) {
                            failed = true;
                        }
                    }
                } catch (LogException e) {
                    failed = true;
                }
                assertThat(failed).isTrue();

                try (var writer = Log.open(log, key)) {
                    assertThat(writer.size()).isBetween(acknowledged, acknowledged + 1);
                    writer.append(entry(writer.size()), BEFORE_EFFECT);
                    writer.sign();
                    LogTest.assertRead(log, writer.size());
                }
                assertThat(LogVerifier.verify(log, List.of(key.verifying())).unsigned()).isZero();
            }
        }
    }

    @Test
    void an_entry_that_was_to_be_kept_soon_shows_its_failure_later() {
        var disk = new FailingDisk(Fault.SYNC_FAILS, 0);
        var log = Log.open(folder.resolve("log"), key, List.of(), Duration.ZERO, disk);
        log.append(entry(0), SOON);

        assertThatThrownBy(log::close)
                .isInstanceOf(LogException.class)
                .hasMessageContaining("Input/output error");
        Log.open(folder.resolve("log"), key).close();
    }

    /// The last file of the write-ahead log, or the first one if there is none.
    private static Path last(Path log) throws IOException {
        var wal = new Wal(log);
        var segments = wal.segments();
        return wal.path(segments.isEmpty() ? 0 : segments.getLast());
    }

    /// What the machine had not written when its power went is cut off, or anything at all. The
    /// synchronised part stays; tiles may be gone.
    @Test
    void a_power_cut_loses_nothing_that_was_acknowledged() throws Exception {
        long seed = System.nanoTime();
        var random = new Random(seed);
        for (int round = 0; round < 30; round++) {
            var log = folder.resolve("power" + round);
            int sure = random.nextInt(600);
            try (var writer = Log.open(log, key)) {
                LogTest.fill(writer, sure / 2);
                writer.sign();
                LogTest.fill(writer, sure - sure / 2);
            }
            var first = last(log);
            long synced = Files.exists(first) ? Files.size(first) : 0;
            try (var writer = Log.open(log, key)) {
                LogTest.fill(writer, 1 + random.nextInt(100));
            }
            var last = last(log);
            byte[] bytes = Files.readAllBytes(last);
            int sureBytes = last.equals(first) ? (int) synced : 0;
            int from = sureBytes + random.nextInt(bytes.length - sureBytes);
            switch (round % 3) {
                case 0 -> bytes = Arrays.copyOf(bytes, from);
                case 1 -> Arrays.fill(bytes, from, bytes.length, (byte) 0);
                default -> {
                    byte[] rubbish = new byte[bytes.length - from];
                    random.nextBytes(rubbish);
                    System.arraycopy(rubbish, 0, bytes, from, rubbish.length);
                }
            }
            Files.write(last, bytes);
            try (var paths = Files.walk(log.resolve("tile"))) {
                for (var path : paths.filter(Files::isRegularFile).toList()) {
                    if (random.nextBoolean()) {
                        Files.write(path, new byte[random.nextInt(100)]);
                    }
                }
            } catch (NoSuchFileException e) {
                // no tiles yet
            }

            try (var writer = Log.open(log, key, List.of(), Duration.ZERO, new Rebooted())) {
                assertThat(writer.size()).as("seed " + seed).isGreaterThanOrEqualTo(sure);
                writer.append(entry(writer.size()), BEFORE_EFFECT);
                writer.sign();
                LogTest.assertRead(log, writer.size());
            }
            LogVerifier.verify(log, List.of(key.verifying()));
        }
    }

    /// A disk of a machine that was started anew.
    private static final class Rebooted extends Disk {
        @Override
        byte[] boot() {
            byte[] boot = super.boot();
            boot[0]++;
            return boot;
        }
    }

    @Test
    void an_acknowledged_entry_that_is_damaged_is_not_taken_for_an_unfinished_one()
            throws Exception {
        var log = folder.resolve("log");
        try (var writer = Log.open(log, key)) {
            for (int i = 0; i < 20; i++) {
                writer.append(entry(i), BEFORE_EFFECT);
            }
        }
        var wal = log.resolve("wal/0.wal");
        byte[] bytes = Files.readAllBytes(wal);
        bytes[bytes.length / 2] ^= 1;
        Files.write(wal, bytes);

        assertThatThrownBy(() -> Log.open(log, key))
                .isInstanceOf(LogException.class)
                .hasMessageContaining("acknowledged")
                .hasMessageContaining("evidence");
        assertThat(Files.readAllBytes(wal)).isEqualTo(bytes);
    }

    @Test
    void the_room_that_a_killed_writer_leaves_is_not_taken_for_entries() throws Exception {
        var log = folder.resolve("log");
        var copy = folder.resolve("copy");
        long size;
        try (var writer = Log.open(log, key)) {
            for (int i = 0; i < 1500; i++) {
                writer.append(entry(i), BEFORE_EFFECT);
            }
            size = writer.size();
            writer.sign();
            Files.createDirectories(copy.resolve("wal"));
            Files.copy(log.resolve("wal/0.wal"), copy.resolve("wal/0.wal"));
        }
        byte[] bytes = Files.readAllBytes(copy.resolve("wal/0.wal"));
        assertThat(bytes).as("zeros ahead").endsWith(new byte[100_000]);
        assertThat(Files.size(log.resolve("wal/0.wal"))).isLessThan(bytes.length - 100_000);

        try (var writer = Log.open(copy, key)) {
            assertThat(writer.recovery()).isEqualTo(new Recovery((int) size, 0));
            writer.append(entry(size), BEFORE_EFFECT);
            writer.sign();
        }
        LogTest.assertRead(copy, size + 1);
    }

    @Test
    void what_was_signed_and_is_gone_is_noticed() throws Exception {
        var log = folder.resolve("log");
        try (var writer = Log.open(log, key)) {
            LogTest.fill(writer, 300);
            writer.sign();
        }
        var wal = log.resolve("wal/0.wal");
        byte[] bytes = Files.readAllBytes(wal);
        Files.write(wal, Arrays.copyOf(bytes, bytes.length - 1));
        assertThatThrownBy(() -> Log.open(log, key))
                .hasMessageContaining("300 entries were signed, but only 299 are there");

        Files.write(wal, bytes);
        Files.delete(log.resolve("checkpoint"));
        try (var writer = Log.open(log, key)) {
            assertThat(writer.sign().size()).isEqualTo(300); // the list still says so
        }
    }

    @Test
    void a_log_that_was_replaced_is_not_signed_on() throws Exception {
        var log = folder.resolve("log");
        var other = folder.resolve("other");
        for (var each : List.of(log, other)) {
            try (var writer = Log.open(each, key)) {
                writer.append(each.toString().getBytes(UTF_8), BEFORE_EFFECT);
                LogTest.fill(writer, 300);
                writer.sign();
            }
        }
        Files.copy(
                other.resolve("checkpoint"),
                log.resolve("checkpoint"),
                StandardCopyOption.REPLACE_EXISTING);

        assertThatThrownBy(() -> Log.open(log, key)).hasMessageContaining("root that was signed");
        assertThatThrownBy(() -> LogVerifier.verify(log, List.of(key.verifying())))
                .isInstanceOf(LogException.class);
    }

    /// Whoever can put a link there could have the record written where they like.
    @Test
    void a_log_is_not_written_through_a_link() throws Exception {
        var elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        var log = Files.createSymbolicLink(folder.resolve("log"), elsewhere);
        assertThatThrownBy(() -> Log.open(log, key)).hasMessageContaining("symbolic link");

        var other = Files.createDirectory(folder.resolve("other"));
        Files.createSymbolicLink(other.resolve("wal"), elsewhere);
        assertThatThrownBy(() -> Log.open(other, key)).hasMessageContaining("symbolic link");
        assertThat(elsewhere).isEmptyDirectory();
    }
}
