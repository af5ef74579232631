// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.writ.trust.key.SigningKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A log of ours, verified by the Go project's implementation: see verify.go.
class GoIT {
    private static final int SIZE = 70_000;
    private static final Path LIBRARY = Path.of("/usr/share/gocode/src/golang.org/x/mod");

    @TempDir static Path shared;
    private static Path verifier = Path.of("verify");
    private static String missing = "";

    @TempDir Path folder;

    private final SigningKey key = SigningKey.make("log.example/1");
    private final List<String> receipts = new ArrayList<>();
    private Path log;
    private Path old;

    @BeforeAll
    static void build() throws Exception {
        if (!has("go")) {
            missing = "go is not here, so no other implementation checks our logs";
            return;
        }
        var source = Files.createDirectories(shared.resolve("verify"));
        Files.copy(Path.of("src/test/go/verify.go"), source.resolve("verify.go"));
        String module = "module verify\n\ngo 1.19\n\nrequire golang.org/x/mod v0.7.0\n";
        if (Files.isDirectory(LIBRARY)) {
            // Debian's package has the sources, but nothing that says they are a module.
            var copy = Files.createDirectories(shared.resolve("mod"));
            for (var part : List.of("sumdb/note", "sumdb/tlog")) {
                Files.createDirectories(copy.resolve(part));
                try (var files = Files.list(LIBRARY.resolve(part))) {
                    for (var file :
                            files.filter(f -> f.toString().matches(".*(?<!_test)\\.go")).toList()) {
                        Files.copy(file, copy.resolve(part).resolve(file.getFileName()));
                    }
                }
            }
            Files.writeString(copy.resolve("go.mod"), "module golang.org/x/mod\n\ngo 1.19\n");
            module += "\nreplace golang.org/x/mod => ../mod\n";
        }
        Files.writeString(source.resolve("go.mod"), module);
        verifier = shared.resolve("verify/verify");
        String said = run(source, "go", "build", "-mod=mod", "-o", verifier.toString(), ".");
        missing =
                Files.isExecutable(verifier)
                        ? ""
                        : "golang.org/x/mod is not here, so no other implementation checks our"
                                + " logs: "
                                + said.replaceAll("\\s+", " ");
    }

    private static boolean has(String program) {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    @BeforeEach
    void write() throws IOException {
        assumeTrue(missing.isEmpty(), missing);
        log = folder.resolve("log");
        old = folder.resolve("old-checkpoint");
        try (var writer = Log.open(log, key)) {
            LogTest.fill(writer, 40_001);
            Files.writeString(old, writer.sign().note());
            LogTest.fill(writer, SIZE - 40_001);
            writer.sign();
        }
        for (long index : List.of(0L, 255L, 256L, 40_000L, SIZE - 1L)) {
            var file = folder.resolve(index + ".tlog-proof");
            var receipt = Receipt.of(log, index, List.of(key.verifying()));
            receipts.add(Files.writeString(file, receipt.text()).toString());
        }
    }

    @Test
    void another_implementation_verifies_the_log() throws Exception {
        assertThat(verify()).isEqualTo("verified " + SIZE + "\n");
        assertThat(LogVerifier.verify(log, List.of(key.verifying())).checkpoint().size())
                .isEqualTo(SIZE);
    }

    @Test
    void both_refuse_a_flipped_bit_wherever_it_is() throws Exception {
        for (var name :
                List.of(
                        "checkpoint",
                        "tile/0/000",
                        "tile/0/272",
                        "tile/0/273.p/112",
                        "tile/1/000",
                        "tile/1/001.p/17",
                        "tile/2/000.p/1",
                        "tile/entries/000",
                        "tile/entries/100",
                        "tile/entries/273.p/112")) {
            var file = log.resolve(name);
            byte[] good = Files.readAllBytes(file);
            byte[] bad = good.clone();
            bad[bad.length / 2] ^= 4;
            Files.write(file, bad);
            bothRefuse(name);
            Files.write(file, good);
        }
        assertThat(verify()).startsWith("verified");
    }

    @Test
    void both_refuse_a_dropped_entry() throws Exception {
        var file = log.resolve("tile/entries/007");
        byte[] good = Files.readAllBytes(file);
        int first = 2 + ((good[0] << 8) | (good[1] & 0xFF));
        Files.write(file, Arrays.copyOfRange(good, first, good.length));

        bothRefuse("an entry less");
    }

    @Test
    void both_refuse_a_log_that_was_cut() throws Exception {
        Files.delete(log.resolve("tile/entries/273.p/112"));
        bothRefuse("no last tile");

        // An older checkpoint that is in order by itself: only who remembers a later one knows.
        var later = Files.readString(log.resolve("checkpoint"));
        Files.copy(old, log.resolve("checkpoint"), StandardCopyOption.REPLACE_EXISTING);
        Files.writeString(old, later);
        assertThat(verify()).startsWith("refused");
        var anchor = Checkpoint.open(later.getBytes(UTF_8), List.of(key.verifying()));
        assertThat(refusal(() -> Consistency.check(log, anchor, List.of(key.verifying()))))
                .contains("older copy");
    }

    @Test
    void both_refuse_what_another_key_signed() throws Exception {
        var other = SigningKey.make(key.name());
        var now = LogVerifier.checkpoint(log, List.of(key.verifying()));
        byte[] root = Base64.getDecoder().decode(now.root());
        Files.writeString(
                log.resolve("checkpoint"), Checkpoint.sign(now.size(), root, other).note());

        bothRefuse("another key");
    }

    private void bothRefuse(String what) throws Exception {
        assertThat(verify()).as(what).startsWith("refused");
        assertThat(refusal(() -> LogVerifier.verify(log, List.of(key.verifying()))))
                .as(what)
                .isNotEmpty();
    }

    private static String refusal(Runnable attempt) {
        try {
            attempt.run();
            return "";
        } catch (LogException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private String verify() throws Exception {
        var command = new ArrayList<>(List.of(verifier.toString(), key.verifying().toString()));
        command.addAll(List.of(log.toString(), old.toString()));
        command.addAll(receipts);
        return run(folder, command.toArray(String[]::new));
    }

    private static String run(Path where, String... command) throws Exception {
        var process =
                new ProcessBuilder(command)
                        .directory(where.toFile())
                        .redirectErrorStream(true)
                        .start();
        String said = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        return said;
    }
}
