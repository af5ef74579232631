// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.stage;

import dev.writ.conformance.oracle.Ear;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// A program of the host side that plays a canary. It ends, and tidies up, when its input does:
/// also when this JVM is killed.
final class Companion implements AutoCloseable {
    private static final int START_SECONDS = 70; // it may have to wait for the shared names

    private final Process process;
    private final Map<String, String> variables = new ConcurrentHashMap<>();
    private final CountDownLatch started = new CountDownLatch(1);
    private volatile String failure = "it ended at once";
    private volatile boolean ready;

    private Companion(Process process) {
        this.process = process;
    }

    static Companion start(
            List<String> command, Map<String, String> environment, Consumer<Ear> ear) {
        try {
            var builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().clear();
            builder.environment().putAll(environment);
            var companion = new Companion(builder.start());
            Thread.ofVirtual().start(() -> companion.listen(ear));
            companion.awaitReady(command);
            return companion;
        } catch (IOException e) {
            throw new StageException(
                    "cannot start " + command.getFirst() + ": " + e.getMessage(), e);
        }
    }

    Process process() {
        return process;
    }

    /// What it wants the probe to know.
    Map<String, String> variables() {
        return Map.copyOf(variables);
    }

    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(2, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            process.destroyForcibly();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private void awaitReady(List<String> command) {
        try {
            if (started.await(START_SECONDS, TimeUnit.SECONDS) && ready) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        close();
        throw new StageException("the host side did not start: " + failure + ": " + command);
    }

    private void listen(Consumer<Ear> ear) {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                take(line.split(" ", 3), line, ear);
            }
        } catch (IOException e) {
            failure = "its output broke: " + e.getMessage();
        } finally {
            started.countDown();
        }
    }

    private void take(String[] words, String line, Consumer<Ear> ear) {
        switch (words[0]) {
            case "set" -> variables.put(words[1], words[2]);
            case "heard" ->
                    Arrays.stream(Ear.values())
                            .filter(e -> e.spelling().equals(words[1]))
                            .forEach(ear);
            case "ready" -> {
                ready = true;
                started.countDown();
            }
            default -> failure = line;
        }
    }
}
