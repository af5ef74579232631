// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.broker.Asker;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import java.util.function.Supplier;

/// Who a task is and where it comes from, as `/proc` says. The task is held, so its number is its
/// own; those of its parents are not, and are believed only if all still are who they were when
/// everything has been read.
///
/// @param waits whether the task is still held
/// @param around what it has around it
record Lineage(
        int task, IntPredicate isMember, BooleanSupplier waits, Supplier<Circumstances> around)
        implements Asker {
    private static final int MOST_GENERATIONS = 64;
    private static final int MOST_TRIES = 3;
    private static final int MOST_BYTES = 1 << 21; // more than any command line has

    @Override
    public boolean isWaiting() {
        if (!waits.getAsBoolean()) {
            return false;
        }
        // Who was told to end, by whoever, would have ended if it did not wait for us.
        try (var kernel = new Kernel()) {
            return !Tasks.isEnding(new FileCalls(kernel), task);
        }
    }

    @Override
    public Circumstances circumstances() {
        var seen = around.get();
        // Its number may be somebody else's if it is gone.
        return isWaiting() ? seen : Circumstances.NONE;
    }

    @Override
    public List<Task> lineage() {
        try (var kernel = new Kernel()) {
            var files = new FileCalls(kernel);
            for (int i = 0; i < MOST_TRIES; i++) {
                var numbers = numbers(files);
                var processes = numbers.stream().map(n -> process(files, n)).toList();
                if (numbers.equals(numbers(files)) && isWaiting()) {
                    return processes;
                }
            }
            // They come and go too fast. The one that is held stays.
            var self = numbers(files).stream().limit(1).map(n -> process(files, n)).toList();
            return isWaiting() ? self : List.of();
        }
    }

    /// The process and its parents, as far as they are in the sandbox.
    private List<Integer> numbers(FileCalls files) {
        var numbers = new ArrayList<Integer>();
        int at = Tasks.process(files, task);
        while (at > 0 && isMember.test(at) && numbers.size() < MOST_GENERATIONS) {
            numbers.add(at);
            at = Tasks.parent(files, at);
        }
        return numbers;
    }

    private static Task process(FileCalls files, int number) {
        byte[] program =
                files.readLink(FileCalls.AT_FDCWD, Walker.bytes("/proc/" + number + "/exe"));
        return new Task(number, new String(program, UTF_8), command(number));
    }

    private static List<String> command(int number) {
        try (var in = Files.newInputStream(Path.of("/proc/" + number + "/cmdline"))) {
            String text = new String(in.readNBytes(MOST_BYTES), UTF_8);
            // Each word ends with a zero.
            return text.isEmpty()
                    ? List.of()
                    : List.of(text.replaceFirst("\0$", "").split("\0", -1));
        } catch (IOException e) {
            return List.of(); // it has just ended
        }
    }
}
