// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.sandbox.Sandbox;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// Stops and goes on together with the program: when it has been stopped, so are we, and when we
/// are told to stop, so is it.
final class Suspension {
    /// The signal that a key sends is ignored by a session without a shell to let it go on.
    private static final int SIGSTOP = 19;

    private static final int MOMENT = 500; // milliseconds

    private final Sandbox sandbox;
    private final Runnable suspend;
    private final Semaphore stopped = new Semaphore(0);

    private Suspension(Sandbox sandbox, Runnable suspend) {
        this.sandbox = sandbox;
        this.suspend = suspend;
    }

    /// @param suspend stops this process, and lets the program go on afterwards
    static void begin(Sandbox sandbox, Runnable suspend) {
        var suspension = new Suspension(sandbox, suspend);
        sandbox.whenStopped(suspension::programHasStopped);
        Signals.on("TSTP", suspension::stopBoth);
    }

    private void programHasStopped() {
        stopped.release();
        Thread.ofPlatform().daemon().name("writ-suspend").start(suspend);
    }

    /// One that waits for a child to become a program does not stop before the child has, which may
    /// be stopped itself: that is not waited for.
    private void stopBoth() {
        stopped.drainPermits();
        sandbox.signal(SIGSTOP);
        try {
            if (!stopped.tryAcquire(MOMENT, TimeUnit.MILLISECONDS)) {
                suspend.run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
