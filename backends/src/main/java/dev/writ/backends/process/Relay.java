// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.KernelException;
import dev.writ.kernel.Splice;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/// Passes on to this process's own streams what a sandbox writes, where it has to be counted on the
/// way, or cannot have them itself. No faster than somebody takes it.
final class Relay {
    private static final int ROOM = 1 << 20;

    private final int[] ours = {-1, -1, -1};
    private final int[] theirs = {-1, -1, -1};
    private final List<Thread> threads = new ArrayList<>();

    private Relay() {}

    /// Nothing is passed on.
    static Relay none() {
        return new Relay();
    }

    /// Pipes for what they write. What they read is what this process has.
    static Relay make(Kernel kernel) {
        var relay = new Relay();
        var files = new FileCalls(kernel);
        relay.theirs[0] = new Inherited(kernel).input();
        for (int i = 1; i < 3; i++) {
            long pipe = files.pipe();
            if (pipe < 0) {
                relay.close(files);
                Pipes.closeTheirs(files, relay.theirs);
                throw new KernelException("pipe2", (int) -pipe);
            }
            relay.ours[i] = (int) pipe;
            relay.theirs[i] = (int) (pipe >>> 32);
            Splice.widen(kernel, relay.ours[i], ROOM);
        }
        return relay;
    }

    /// What becomes 0, 1 and 2.
    int[] theirs() {
        return theirs;
    }

    /// @param pass how many of so many bytes may pass
    void start(IntUnaryOperator pass) {
        for (int i = 1; i < 3; i++) {
            int from = ours[i];
            int to = i;
            if (from >= 0) {
                threads.add(
                        Thread.ofPlatform()
                                .daemon()
                                .name("writ-relay")
                                .start(() -> pass(from, to, pass)));
            }
        }
    }

    private static void pass(int from, int to, IntUnaryOperator pass) {
        try (var kernel = new Kernel()) {
            var splice = new Splice(kernel);
            boolean more = true;
            while (more) {
                int there = splice.await(from);
                int passed = there == 0 ? 0 : pass.applyAsInt(there);
                more = there > 0 && splice.move(from, to, passed) && passed == there;
            }
            // If nobody takes it any more, the sandbox hears that as well.
            new FileCalls(kernel).close(from);
        }
    }

    /// Waits until the last of it has been passed on.
    void await() throws InterruptedException {
        for (var thread : threads) {
            thread.join();
        }
    }

    /// Closes our ends, if nothing was started.
    void close(FileCalls files) {
        if (threads.isEmpty()) {
            for (int i = 1; i < 3; i++) {
                files.close(ours[i]);
            }
        }
    }
}
