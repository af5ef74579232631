// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import static dev.writ.trust.log.LogTest.entry;

import dev.writ.trust.key.SigningKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A program that writes a log on a disk that lets it down, and says what came of it.
final class OnDisk {
    private static final int MOST = 100_000;

    private final Path folder;
    private final Path log;
    private final SigningKey key = SigningKey.make("log.example/1");

    private OnDisk(Path folder) {
        this.folder = folder;
        this.log = folder.resolve("log");
    }

    static List<String> command(String what, Path folder) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-cp",
                System.getProperty("java.class.path")
                        + ":target/classes:target/test-classes:"
                        + System.getProperty("jdk.module.path", ""),
                OnDisk.class.getName(),
                what,
                folder.toString());
    }

    public static void main(String[] words) throws Exception {
        var disk = new OnDisk(Path.of(words[1]));
        switch (words[0]) {
            case "full" -> disk.full();
            case "read-only" -> disk.readOnly();
            case "closed" -> disk.closed();
            default -> throw new IllegalArgumentException(words[0]);
        }
    }

    private void full() throws IOException {
        var ballast = Files.write(folder.resolve("ballast"), new byte[600 << 10]);
        fillUntilItStops(Log.open(log, key));
        // Nothing is left for what opening has to write, either.
        try (var rest = Files.newOutputStream(folder.resolve("rest"))) {
            for (int i = 0; i < MOST; i++) {
                rest.write(1);
            }
        } catch (IOException e) {
            // now it is full
        }
        refuseToOpen();
        Files.delete(ballast);
        recover();
    }

    private void readOnly() throws Exception {
        try (var writer = Log.open(log, key)) {
            LogTest.fill(writer, 20);
            writer.sign();
        }
        remount("ro");
        refuseToOpen();
        say("verified", LogVerifier.verify(log, List.of(key.verifying())).checkpoint().size());
        remount("rw");
        try (var writer = Log.open(log, key)) {
            say("recovered", writer.size());
        }
    }

    private void remount(String how) throws Exception {
        int exit =
                new ProcessBuilder("mount", "-o", "remount," + how, folder.toString())
                        .inheritIO()
                        .start()
                        .waitFor();
        if (exit != 0) {
            throw new IOException("cannot remount " + how);
        }
    }

    private void closed() throws IOException {
        var writer = Log.open(log, key);
        LogTest.fill(writer, 20);
        writer.sign();
        var mode = Files.getPosixFilePermissions(log);
        Files.setPosixFilePermissions(log, PosixFilePermissions.fromString("---------"));
        fillUntilItStops(writer);
        refuseToOpen();
        Files.setPosixFilePermissions(log, mode);
        recover();
    }

    /// Appends, and signs now and then, until something fails; then it must stay so.
    private void fillUntilItStops(Log writer) {
        long acknowledged = writer.size();
        try {
            for (int i = 0; i < MOST; i++) {
                acknowledged = writer.append(entry(acknowledged), Durability.BEFORE_EFFECT) + 1;
                if (i % 50 == 49) {
                    writer.sign();
                }
            }
        } catch (LogException e) {
            say("stopped", e.getMessage());
        }
        try {
            writer.append(entry(acknowledged), Durability.BEFORE_EFFECT);
        } catch (LogException e) {
            say("still stopped", e.getMessage());
        }
        try {
            writer.close();
        } catch (LogException e) {
            // said above
        }
        say("acknowledged", acknowledged);
    }

    private void refuseToOpen() {
        try {
            Log.open(log, key).close();
        } catch (LogException e) {
            say("cannot be opened", e.getMessage());
        }
    }

    private void recover() {
        try (var writer = Log.open(log, key)) {
            say("recovered", writer.size());
            LogTest.assertRead(log, writer.size());
            writer.sign();
        }
        say("verified", LogVerifier.verify(log, List.of(key.verifying())).checkpoint().size());
    }

    private static void say(String what, @Nullable Object value) {
        System.out.println(what + ": " + value);
    }
}
