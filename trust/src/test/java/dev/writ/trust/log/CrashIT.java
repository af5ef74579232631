// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.digest.Sha256;
import dev.writ.kernel.Libcrypto;
import dev.writ.trust.key.SigningKey;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Writers that are killed at any moment, again and again on the same log: nothing that was
/// acknowledged may be lost, and nothing be there that nobody wrote.
class CrashIT {
    private static final int KILLS = Integer.getInteger("writ.soak", 1) > 1 ? 500 : 40;
    private static final int FIGHTS = KILLS / 10;

    @TempDir Path folder;

    @Test
    void nothing_acknowledged_is_lost_however_often_the_writer_is_killed() throws Exception {
        long seed = System.nanoTime();
        var random = new Random(seed);
        var key = SigningKey.make("log.example/1");
        var file = folder.resolve("key.pem");
        key.save(file);
        var log = folder.resolve("log");
        Map<Long, String> acknowledged = new HashMap<>();
        Checkpoint signed = null;
        long checked = 0;
        var next = start(file);
        for (int kill = 0; kill < KILLS; kill++) {
            var writer = next;
            var lines = writer.inputReader(UTF_8);
            assertThat(lines.readLine()).isEqualTo("ready");
            next = start(file); // gets ready meanwhile
            writer.outputWriter().write(log + " " + (1 + random.nextInt(12)) + "\n");
            writer.outputWriter().flush();
            hear(lines, acknowledged, random.nextInt(300));
            writer.destroyForcibly();
            hear(lines, acknowledged, Integer.MAX_VALUE);
            assertThat(writer.waitFor(1, TimeUnit.MINUTES)).isTrue();

            try (var recovered = Log.open(log, key)) {
                var now = recovered.sign();
                if (signed != null) {
                    Consistency.check(log, signed, List.of(key.verifying()));
                }
                signed = now;
            }
            var reader = new LogReader(log, checked);
            for (byte[] entry = reader.next(); entry != null; entry = reader.next()) {
                String text = new String(entry, UTF_8);
                String wanted = acknowledged.remove(reader.index() - 1);
                assertThat(text).as("seed " + seed).matches("[0-9]+-[0-9]+-y*");
                if (wanted != null) {
                    assertThat(text).as("seed " + seed).isEqualTo(wanted);
                }
            }
            checked = reader.index();
            assertThat(acknowledged).as("lost, seed " + seed).isEmpty();
        }
        next.destroyForcibly();
        var verified = LogVerifier.verify(log, List.of(key.verifying()));
        assertThat(verified.checkpoint().size()).isEqualTo(checked).isGreaterThan(KILLS);
        assertThat(verified.unsigned()).isZero();
    }

    @Test
    void many_processes_append_to_one_log_in_turn() throws Exception {
        var key = SigningKey.make("log.example/1");
        var file = folder.resolve("key.pem");
        key.save(file);
        var log = folder.resolve("log");
        var writers = List.of(start(file), start(file), start(file), start(file));
        for (var writer : writers) {
            writer.outputWriter().write(log + " once\n");
            writer.outputWriter().flush();
        }
        Map<Long, String> acknowledged = new HashMap<>();
        for (var writer : writers) {
            hear(writer.inputReader(UTF_8), acknowledged, Integer.MAX_VALUE);
            assertThat(writer.waitFor()).isZero();
        }

        assertThat(acknowledged).hasSize(160);
        var reader = new LogReader(log, 0);
        for (long i = 0; i < 160; i++) {
            assertThat(reader.next()).asString(UTF_8).isEqualTo(acknowledged.get(i));
        }
        try (var last = Log.open(log, key)) {
            last.sign();
        }
        assertThat(LogVerifier.verify(log, List.of(key.verifying())).checkpoint().size())
                .isEqualTo(160);
    }

    /// Each opens the log anew for each entry; two of three are killed meanwhile, by chance also
    /// while they hold it.
    @Test
    void processes_that_fight_for_one_log_and_are_killed_lose_nothing() throws Exception {
        long seed = System.nanoTime();
        var random = new Random(seed);
        var key = SigningKey.make("log.example/1");
        var file = folder.resolve("key.pem");
        key.save(file);
        var log = folder.resolve("log");
        Map<Long, String> acknowledged = new HashMap<>();
        for (int round = 0; round < FIGHTS; round++) {
            var writers = List.of(start(file), start(file), start(file));
            for (var writer : writers) {
                writer.outputWriter().write(log + " once\n");
                writer.outputWriter().flush();
            }
            for (var doomed : writers.subList(0, 2)) {
                hear(doomed.inputReader(UTF_8), acknowledged, 1 + random.nextInt(30));
                doomed.destroyForcibly();
            }
            for (var writer : writers) {
                hear(writer.inputReader(UTF_8), acknowledged, Integer.MAX_VALUE);
                assertThat(writer.waitFor(1, TimeUnit.MINUTES)).isTrue();
            }
            assertThat(writers.getLast().exitValue()).as("seed " + seed).isZero();
        }

        try (var last = Log.open(log, key)) {
            last.sign();
        }
        var reader = new LogReader(log, 0);
        for (byte[] entry = reader.next(); entry != null; entry = reader.next()) {
            String wanted = acknowledged.remove(reader.index() - 1);
            assertThat(entry).asString(UTF_8).matches("[0-9]+-[0-9]+-");
            if (wanted != null) {
                assertThat(entry).asString(UTF_8).as("seed " + seed).isEqualTo(wanted);
            }
        }
        assertThat(acknowledged).as("lost, seed " + seed).isEmpty();
        var verified = LogVerifier.verify(log, List.of(key.verifying()));
        assertThat(verified.checkpoint().size()).isGreaterThanOrEqualTo(40L * FIGHTS);
        assertThat(verified.unsigned()).isZero();
    }

    private static Process start(Path key) throws IOException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"));
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(
                List.of(
                        "-cp",
                        "target/classes:target/test-classes:"
                                + place(Sha256.class)
                                + ":"
                                + place(Libcrypto.class)));
        command.addAll(List.of(Careless.class.getName(), key.toString()));
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    private static String place(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation().getPath();
    }

    private static void hear(BufferedReader lines, Map<Long, String> acknowledged, int most) {
        try {
            for (int i = 0; i < most; i++) {
                String line = lines.readLine();
                if (line == null) {
                    return;
                }
                String[] words = line.split(" ");
                // The last line may be cut; then nobody was told.
                if (words.length == 4 && words[3].equals("end")) {
                    acknowledged.put(Long.valueOf(words[1]), words[2]);
                }
            }
        } catch (IOException e) {
            // It was killed.
        }
    }
}
