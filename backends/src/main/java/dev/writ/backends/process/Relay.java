// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.kernel.Streams;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/// Passes on to this process's own streams what a sandbox writes, where it has to be counted on the
/// way. No faster than somebody takes it.
final class Relay {
    private static final int BUFFER = 1 << 16;

    private final List<Thread> threads;

    private Relay(List<Thread> threads) {
        this.threads = threads;
    }

    /// Nothing is passed on.
    static Relay none() {
        return new Relay(List.of());
    }

    static Relay start(InputStream output, InputStream errors) {
        return new Relay(List.of(start(output, 1), start(errors, 2)));
    }

    private static Thread start(InputStream from, int descriptor) {
        return Thread.ofPlatform().daemon().name("writ-relay").start(() -> copy(from, descriptor));
    }

    private static void copy(InputStream from, int descriptor) {
        byte[] buffer = new byte[BUFFER];
        try (from) {
            var to = Streams.output(descriptor);
            for (int n = from.read(buffer); n >= 0; n = from.read(buffer)) {
                to.write(buffer, 0, n);
            }
        } catch (IOException e) {
            // Nobody takes it any more: from now on the sandbox hears that as well.
        }
    }

    /// Waits until the last of it has been passed on.
    void await() throws InterruptedException {
        for (var thread : threads) {
            thread.join();
        }
    }
}
