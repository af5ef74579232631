// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.trust.key.SigningKey;
import dev.writ.trust.key.VerifyingKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Whatever stands in the files of a log: it verifies as it was written, or is refused in words.
class FuzzTest {
    private static final int SIZE = 600;
    private static final int ROUNDS = 300 * Integer.getInteger("writ.soak", 1);

    @TempDir Path folder;

    private final SigningKey key = SigningKey.make("log.example/1");
    private final List<VerifyingKey> trusted = List.of(key.verifying());
    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);

    private Path log(String name) {
        var log = folder.resolve(name);
        try (var writer = Log.open(log, key)) {
            LogTest.fill(writer, SIZE / 2);
            writer.sign();
            LogTest.fill(writer, SIZE / 2);
            writer.sign();
        }
        return log;
    }

    /// The answer, or null if it was refused. Anything else that is thrown is a failure.
    private static <T> @Nullable T attempt(Supplier<T> what) {
        try {
            return what.get();
        } catch (LogException e) {
            assertThat(e.getMessage()).isNotBlank();
            return null;
        }
    }

    private byte[] mutated(byte[] good) {
        byte[] bytes = good.clone();
        switch (random.nextInt(6)) {
            case 0 -> random.nextBytes(bytes);
            case 1 -> bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
            case 2 -> bytes = Arrays.copyOf(bytes, bytes.length + 1 + random.nextInt(100));
            case 3 -> {
                int from = random.nextInt(bytes.length);
                int gap = random.nextInt(bytes.length - from);
                System.arraycopy(good, from + gap, bytes, from, bytes.length - from - gap);
                bytes = Arrays.copyOf(bytes, bytes.length - gap);
            }
            case 4 -> {
                for (int i = 0; i < 1 + random.nextInt(8); i++) {
                    bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
                }
            }
            default -> bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return bytes;
    }

    @Test
    void a_mutated_log_verifies_only_if_its_entries_are_the_same() throws Exception {
        var log = log("log");
        var files = files(log);
        int refused = 0;
        for (int i = 0; i < ROUNDS; i++) {
            var file = files.get(random.nextInt(files.size()));
            byte[] good = Files.readAllBytes(file);
            if (good.length == 0) {
                continue;
            }
            Files.write(file, mutated(good));
            var verified = attempt(() -> LogVerifier.verify(log, trusted));
            refused += verified == null ? 1 : 0;
            if (verified != null) {
                // Then what is signed is untouched: only what is not was changed.
                assertThat(verified.checkpoint().size()).as("seed " + seed).isEqualTo(SIZE);
                assertEntries(log);
            }
            attempt(() -> read(log));
            attempt(() -> Receipt.of(log, random.nextInt(SIZE), trusted));
            Files.write(file, good);
        }
        assertThat(refused).isGreaterThan(ROUNDS / 4);
        assertThat(LogVerifier.verify(log, trusted).checkpoint().size()).isEqualTo(SIZE);
    }

    private void assertEntries(Path log) throws Exception {
        var tiles = new Tiles(log);
        for (int i = 0; i < SIZE; i += Tiles.WIDTH) {
            int width = Math.min(Tiles.WIDTH, SIZE - i);
            byte[] bytes = requireNonNull(tiles.entries(i / Tiles.WIDTH, width));
            var bundle = requireNonNull(Bundle.read(bytes, width));
            for (int j = 0; j < width; j++) {
                assertThat(bundle.entry(j)).as("seed " + seed).isEqualTo(LogTest.entry(i + j));
            }
        }
    }

    private static long read(Path log) {
        var reader = new LogReader(log, 0);
        while (reader.next() != null && reader.index() < 10_000) {}
        return reader.index();
    }

    private static List<Path> files(Path log) throws Exception {
        try (var paths = Files.walk(log)) {
            return new ArrayList<>(
                    paths.filter(Files::isRegularFile)
                            .filter(p -> !p.endsWith("lock"))
                            .sorted()
                            .toList());
        }
    }

    /// A writer that finds a mutated log goes on with all that was signed, or not at all.
    @Test
    void a_mutated_log_is_never_signed_on() throws Exception {
        for (int i = 0; i < Math.min(ROUNDS, 1000) / 3; i++) {
            var log = log("open" + i);
            var files = files(log);
            var file = files.get(random.nextInt(files.size()));
            Files.write(file, mutated(Files.readAllBytes(file)));
            var signed =
                    attempt(
                            () -> {
                                try (var writer = Log.open(log, key)) {
                                    writer.append(LogTest.entry(writer.size()), Durability.SOON);
                                    return writer.sign();
                                }
                            });
            if (signed != null) {
                assertThat(signed.size()).as("seed " + seed).isEqualTo(SIZE + 1);
            }
            try (var paths = Files.walk(log)) {
                paths.sorted(Comparator.reverseOrder()).forEach(p -> p.toFile().delete());
            }
        }
    }

    @Test
    void a_mutated_receipt_proves_nothing() {
        var log = log("log");
        byte[] good = Receipt.of(log, 77, trusted).text().getBytes(UTF_8);
        for (int i = 0; i < 10 * ROUNDS; i++) {
            byte[] bad = mutated(good);
            var proved = attempt(() -> Receipt.parse(bad).check(LogTest.entry(77), trusted));
            if (proved != null) {
                assertThat(Receipt.parse(bad)).isEqualTo(Receipt.parse(good));
            }
        }
    }

    @Test
    void what_is_no_file_is_refused_and_does_not_hold_anybody_up() throws Exception {
        for (var name :
                List.of("checkpoint", "tile/0/000", "tile/entries/001", "checkpoints.log")) {
            var log = log("pipe-" + name.replace('/', '-'));
            Files.delete(log.resolve(name));
            assertThat(new ProcessBuilder("mkfifo", log.resolve(name).toString()).start().waitFor())
                    .isZero();
            assertThat(attempt(() -> LogVerifier.verify(log, trusted))).isNull();
        }
    }
}
