// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/// A shell that runs confined, as a child of this process. Belongs to the thread that made it.
final class Child implements AutoCloseable {
    private static final int SIGKILL = 9;

    final Kernel kernel = new Kernel();
    final FileCalls files = new FileCalls(kernel);
    final Notifications notifications = new Notifications(kernel);
    final Path folder;
    private final int output;
    private boolean reaped;
    private final CompletableFuture<Integer> listener = new CompletableFuture<>();
    private final CompletableFuture<Integer> pid = new CompletableFuture<>();

    /// Runs `script` in `folder` with A=1 under a filter that lets everything pass but `held`.
    Child(Path folder, String script, Call... held) {
        this(folder, -1, script, held);
    }

    Child(Path folder, int ruleset, String script, Call... held) {
        this.folder = folder;
        long pipe = files.pipe();
        output = (int) pipe;
        int input = files.open(FileCalls.AT_FDCWD, bytes("/dev/null"), 0, 0);
        int theirs = (int) (pipe >>> 32);
        var rules = new EnumMap<Call, Filter.Rule>(Call.class);
        Stream.of(held).forEach(call -> rules.put(call, Filter.Rule.always(Filter.NOTIFY)));
        var program =
                new Spawn.Program(
                        bytes("/bin/sh"),
                        Stream.of("sh", "-c", script, "zero", "one").map(Child::bytes).toList(),
                        List.of(bytes("A=1"), bytes("PATH=/usr/bin:/bin")),
                        bytes(folder.toString()),
                        new int[] {input, theirs, theirs},
                        new byte[0],
                        ruleset,
                        rules.containsKey(Spawn.GATE),
                        Filter.compile(Arch.here(), Map.copyOf(rules), Filter.ALLOW).bytes());
        // The spawn waits for an answer if one of its own calls is held, so it gets a thread.
        Thread.ofPlatform().start(() -> start(program, input, theirs));
        notifications.listenTo(listener.join());
    }

    private void start(Spawn.Program program, int input, int theirs) {
        try {
            pid.complete(Spawn.start(program, listener::complete));
        } catch (KernelException e) {
            listener.complete(-1);
            pid.completeExceptionally(e);
        } finally {
            close(input);
            close(theirs);
        }
    }

    private static void close(int descriptor) {
        try (var kernel = new Kernel()) {
            new FileCalls(kernel).close(descriptor);
        }
    }

    static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    int pid() {
        return pid.join();
    }

    /// Its end has been waited for, so that its number may belong to another process.
    void setReaped() {
        reaped = true;
    }

    /// What it has written when it is through.
    String output() {
        var all = new StringBuilder();
        for (var some = files.read(output, 4096);
                some.length > 0;
                some = files.read(output, 4096)) {
            all.append(new String(some, UTF_8));
        }
        return all.toString();
    }

    static String field(String status, String name) throws IOException {
        return Files.readAllLines(Path.of(status)).stream()
                .filter(line -> line.startsWith(name + ":"))
                .findFirst()
                .orElseThrow()
                .substring(name.length() + 1)
                .strip();
    }

    @Override
    public void close() {
        if (!reaped && pid.exceptionally(_ -> 0).join() != 0) {
            Ptrace.kill(kernel, pid(), SIGKILL);
            kernel.call(Call.WAIT4.number(), pid(), 0, 0, 0);
        }
        files.close(output);
        files.close(listener.join());
        kernel.close();
    }
}
