// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;

/// The listeners of a proxy, opened when somebody wants to go out.
///
/// A thread has the rights of whoever starts it, and so have those that it starts, even the ones
/// that all virtual threads of the JVM run on. Whoever wants to go out first acts for a sandbox and
/// has none. So the thread that opens them is there from the beginning, started by whoever opens
/// the session.
final class Entrances implements AutoCloseable {
    private final CountDownLatch wanted = new CountDownLatch(1);
    private final CompletableFuture<Listeners> opened = new CompletableFuture<>();
    private volatile boolean closed;

    Entrances(Service service) {
        Thread.ofPlatform().daemon().name("writ-egress").start(() -> open(service));
    }

    private void open(Service service) {
        try {
            wanted.await();
            refuseClosed();
            opened.complete(new Listeners(service));
        } catch (InterruptedException | RuntimeException | Error e) {
            opened.completeExceptionally(e);
        }
    }

    private void refuseClosed() {
        if (closed) {
            throw new IllegalStateException("the proxy of this session is closed");
        }
    }

    Listeners get() {
        refuseClosed();
        wanted.countDown();
        return opened.join();
    }

    @Override
    public void close() {
        closed = true;
        wanted.countDown();
        try {
            opened.join().close();
        } catch (CompletionException e) {
            // They were never open.
        }
    }
}
