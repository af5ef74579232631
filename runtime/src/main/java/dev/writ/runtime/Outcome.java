// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import dev.writ.core.sandbox.Sandbox;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/// How a command ended, and what it wrote.
public record Outcome(int exitCode, String output, String errors) {
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
        return new Outcome(sandbox.await(), output.join(), errors.join());
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
