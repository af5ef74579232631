// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.sandbox.Sandbox;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/// Stops and goes on together with the program: when we are told to stop, so is it, and at a
/// terminal of its own we stop when it has. Elsewhere a program that stops itself does not stop us:
/// who would end it when its time is over?
final class Suspension {
    /// The signal that a key sends is ignored by a session without a shell to let it go on.
    private static final int SIGSTOP = 19;

    private static final int MOMENT = 500; // milliseconds

    private final Sandbox sandbox;
    private final Runnable suspend;
    private final boolean together;
    private final AtomicBoolean told = new AtomicBoolean();
    private final Semaphore stopped = new Semaphore(0);

    private Suspension(Sandbox sandbox, Runnable suspend, boolean together) {
        this.sandbox = sandbox;
        this.suspend = suspend;
        this.together = together;
    }

    /// @param suspend stops this process, and lets the program go on afterwards
    static void together(Sandbox sandbox, Runnable suspend) {
        new Suspension(sandbox, suspend, true).begin();
    }

    static void whenTold(Sandbox sandbox, Runnable suspend) {
        new Suspension(sandbox, suspend, false).begin();
    }

    private void begin() {
        sandbox.whenStopped(this::programHasStopped);
        Signals.on("TSTP", this::stopBoth);
    }

    private void programHasStopped() {
        stopped.release();
        if (told.getAndSet(false) || together) {
            Thread.ofPlatform().daemon().name("writ-suspend").start(suspend);
        }
    }

    /// One that waits for a child to become a program does not stop before the child has, which may
    /// be stopped itself: that is not waited for.
    private void stopBoth() {
        stopped.drainPermits();
        told.set(true);
        sandbox.signal(SIGSTOP);
        try {
            if (!stopped.tryAcquire(MOMENT, TimeUnit.MILLISECONDS) && told.getAndSet(false)) {
                suspend.run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
