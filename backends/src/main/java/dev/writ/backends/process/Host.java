// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedTransferQueue;
import java.util.function.Supplier;

/// Threads for what belongs to the host application, such as asking the operator.
///
/// A thread that acts for a sandbox has given up rights, and has a working directory and a umask
/// that are not the host's. A thread inherits that from the one which starts it: a pool that an
/// approver happens to use would keep it for good. So these are started by a thread that has what
/// the host has.
final class Host {
    private static final LinkedTransferQueue<Runnable> TO_START = new LinkedTransferQueue<>();

    static {
        Thread.ofPlatform()
                .daemon()
                .name("writ-starter")
                .inheritInheritableThreadLocals(false)
                .start(Host::startAll);
    }

    private Host() {}

    /// ORDER: called on a thread of the host before there is one that acts for a sandbox.
    static void prepare() {}

    private static void startAll() {
        while (true) {
            try {
                TO_START.take().run();
            } catch (InterruptedException e) {
                // Nobody has a reason to, and nothing would be better without this thread.
            }
        }
    }

    /// What `work` gives, which is done on a thread of its own.
    static <T> CompletableFuture<T> call(String name, Supplier<T> work) {
        var result = new CompletableFuture<T>();
        TO_START.add(() -> start(name, work, result));
        return result;
    }

    private static <T> void start(String name, Supplier<T> work, CompletableFuture<T> result) {
        try {
            Thread.ofPlatform().daemon().name(name).start(() -> complete(result, work));
        } catch (OutOfMemoryError e) {
            result.completeExceptionally(e); // no thread is to be had
        }
    }

    private static <T> void complete(CompletableFuture<T> result, Supplier<T> work) {
        try {
            result.complete(work.get());
        } catch (RuntimeException | Error e) {
            result.completeExceptionally(e);
        }
    }
}
