// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import dev.writ.core.sandbox.ReachedLimit;
import dev.writ.core.sandbox.Sandbox;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// How a command ended, what it wrote, and the limits it came up against.
public record Outcome(int exitCode, String output, String errors, List<ReachedLimit> reached) {
    public Outcome {
        reached = List.copyOf(reached);
    }

    static Outcome of(Sandbox sandbox) throws InterruptedException {
        var output = new CompletableFuture<String>();
        var errors = new CompletableFuture<String>();
        try {
            sandbox.input().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(() -> read(sandbox.output(), output));
        start(() -> read(sandbox.errors(), errors));
        int code = sandbox.await();
        return new Outcome(code, output.join(), errors.join(), sandbox.reached());
    }

    /// To read from a pipe holds on to a thread. Virtual ones share a few with the host, who would
    /// be left without any by commands that take long.
    private static void start(Runnable reader) {
        Thread.ofPlatform().daemon().name("writ-output").start(reader);
    }

    private static void read(InputStream in, CompletableFuture<String> text) {
        try {
            text.complete(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            text.completeExceptionally(e);
        }
    }
}
