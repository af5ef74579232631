// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.sandbox.Sandbox;
import dev.writ.core.sandbox.SandboxSpec.Streams;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;

/// Joins the streams of a sandbox with ours, where these are no terminal as a whole but there is
/// one to ask at. A program that had the terminal itself could draw over a question; and what it
/// writes into a pipe may well end on the same screen.
final class PipeRelay implements AutoCloseable {
    private final CountDownLatch drained = new CountDownLatch(2);

    private PipeRelay() {}

    /// What comes through a pipe or from a file is left to the program: whatever it does not read
    /// is for the next one.
    static Streams streams() {
        return OperatorTerminal.isTerminal(0) ? Streams.PIPED : Streams.OUTPUT_PIPED;
    }

    static PipeRelay start(Sandbox sandbox, OperatorTerminal terminal, World world) {
        var relay = new PipeRelay();
        if (streams() == Streams.PIPED) {
            daemon("writ-keys", () -> passKeys(sandbox, terminal));
        }
        daemon(
                "writ-output",
                () -> {
                    terminal.passOutput(sandbox.output(), world.out());
                    relay.drained.countDown();
                });
        daemon(
                "writ-errors",
                () -> {
                    terminal.passOutput(sandbox.errors(), world.err());
                    relay.drained.countDown();
                });
        return relay;
    }

    private static void passKeys(Sandbox sandbox, OperatorTerminal terminal) {
        try (var input = sandbox.input()) {
            terminal.passKeys(input);
        } catch (IOException e) {
            // The program has closed its end.
        }
    }

    private static void daemon(String name, Runnable task) {
        Thread.ofPlatform().daemon().name(name).start(task);
    }

    /// Waits for the last of the output.
    @Override
    public void close() {
        try {
            drained.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
