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
        Thread.startVirtualThread(() -> read(sandbox.output(), output));
        Thread.startVirtualThread(() -> read(sandbox.errors(), errors));
        return new Outcome(sandbox.await(), output.join(), errors.join());
    }

    private static void read(InputStream in, CompletableFuture<String> text) {
        try {
            text.complete(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            text.completeExceptionally(e);
        }
    }
}
