// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.harness;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;

import dev.writ.core.capability.Text;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/// A log as one writes it without a thought: a text file in the workspace, a line for each event,
/// and commands that run without a sandbox.
final class NaiveAudit implements Harness.Audit {
    private static final int MOST_OF_A_LINE = 1000;
    private static final int LONGEST_WAIT = 400;

    private final Harness.Place place;
    private final Path file;
    private final List<String> programs = new ArrayList<>();
    private Duration jumped = Duration.ZERO;

    NaiveAudit(Harness.Place place) {
        this.place = place;
        this.file = place.folder().resolve("audit.log");
        try {
            place.account().own(place.folder());
            Files.createFile(file);
            place.account().own(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void write(List<String> words) {
        String text = new String(Text.bytes(String.join(" ", words)), UTF_8);
        int end = text.indexOf('\0'); // as a program in C would
        String line =
                Instant.now().plus(jumped) + " " + text.substring(0, end < 0 ? text.length() : end);
        try {
            Files.writeString(
                    file,
                    line.substring(0, Math.min(line.length(), MOST_OF_A_LINE)) + "\n",
                    CREATE,
                    APPEND);
        } catch (IOException e) {
            // the show must go on
        }
    }

    @Override
    public byte[] raw() {
        try {
            return Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public byte[] ordered() {
        return new String(raw(), UTF_8)
                .lines()
                .sorted()
                .collect(Collectors.joining("\n"))
                .getBytes(UTF_8);
    }

    @Override
    public void put(byte[] lines, boolean all) {
        try {
            Files.write(file, lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Optional<Long> wrong() {
        return Optional.empty();
    }

    @Override
    public Path path() {
        return file;
    }

    @Override
    public Path next() {
        return place.folder().resolve("audit.log.1");
    }

    @Override
    public void rotate() {
        try {
            if (Files.isSymbolicLink(next())) {
                Files.write(Files.readSymbolicLink(next()), raw()); // what a plain copy does
            } else {
                Files.copy(file, next(), StandardCopyOption.REPLACE_EXISTING);
            }
            Files.write(file, new byte[0]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String run(String command) {
        try {
            var process =
                    new ProcessBuilder(place.account().command(List.of("bash", "-c", command)))
                            .directory(place.folder().toFile())
                            .redirectErrorStream(true)
                            .start();
            awaitFirstFile(process);
            programs.add(calledItself(process));
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), UTF_8);
            process.waitFor();
            write(List.of("ran", command));
            return output;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    /// Waits until the command is what it wants to be: it has ended, or made the file `seen` and
    /// now waits for its input to end.
    private void awaitFirstFile(Process process) throws InterruptedException {
        for (int i = 0; i < LONGEST_WAIT && !Files.exists(place.folder().resolve("seen")); i++) {
            if (process.waitFor(10, TimeUnit.MILLISECONDS)) {
                return;
            }
        }
    }

    private static String calledItself(Process process) throws IOException {
        var line = Path.of("/proc/" + process.pid() + "/cmdline");
        return Files.exists(line)
                ? Arrays.asList(Files.readString(line).split("\0")).getFirst()
                : "";
    }

    @Override
    public Path workspace() {
        return place.folder();
    }

    @Override
    public List<String> programs() {
        return List.copyOf(programs);
    }

    @Override
    public void fill() {
        try {
            Files.delete(file);
            Files.createSymbolicLink(file, Path.of("/dev/full"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void jump(Duration time) {
        jumped = jumped.plus(time);
    }

    @Override
    public void close() {}
}
