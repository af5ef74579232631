// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.run;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Reads what a probe prints: counts all of it, keeps the beginning.
///
/// Through a pipe of our own: that of a Java process ends with the process, although its children
/// may still hold the other side, and that they do is a finding.
final class Capture {
    private static final int KEPT = 4 << 20;

    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private final CountDownLatch ended = new CountDownLatch(1);
    private long total;

    /// Reads from a named pipe until nobody has it open for writing any more.
    void start(Path pipe) {
        Thread.ofPlatform().daemon().name("probe-output").start(() -> read(pipe));
    }

    private void read(Path pipe) {
        byte[] buffer = new byte[1 << 16];
        try (InputStream in = Files.newInputStream(pipe)) {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                add(buffer, n);
            }
        } catch (IOException e) {
            // the pipe went away with the process: what came before it counts
        } finally {
            ended.countDown();
        }
    }

    private synchronized void add(byte[] buffer, int n) {
        total += n;
        kept.write(buffer, 0, Math.min(n, KEPT - kept.size()));
    }

    boolean awaitEnd(long nanos) throws InterruptedException {
        return ended.await(nanos, TimeUnit.NANOSECONDS);
    }

    synchronized String text() {
        return kept.toString(StandardCharsets.UTF_8);
    }

    synchronized long total() {
        return total;
    }
}
