// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.sandbox.Sandbox;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.Terminal;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/// Joins the operator's terminal with the one that a sandbox has: keys in, screen out, size along.
/// Meanwhile the operator's terminal passes every key through; in the end it is as it was.
final class TerminalRelay implements AutoCloseable {
    private static final int SIGHUP = 1;
    private static final int SIGCONT = 18;
    private static final long GRACE = 2000; // milliseconds

    private static final int NOTICED = 100; // milliseconds in which a program looks at its size

    private final Sandbox sandbox;
    private final OperatorTerminal terminal;
    private final World world;
    private final byte[] mode;
    private final AtomicReference<byte[]> size = new AtomicReference<>(new byte[0]);
    private final CountDownLatch drained = new CountDownLatch(1);
    private boolean ended; // guarded by this
    private final TerminalWatch watch = new TerminalWatch();
    private final Thread restore = new Thread(this::restore, "writ-restore");

    private TerminalRelay(Sandbox sandbox, OperatorTerminal terminal, World world, byte[] mode) {
        this.sandbox = sandbox;
        this.terminal = terminal;
        this.world = world;
        this.mode = mode;
    }

    /// Whether a person sits at a terminal, for input and for output.
    static boolean isPossible() {
        return OperatorTerminal.isTerminal(0) && OperatorTerminal.isTerminal(1);
    }

    static TerminalRelay start(Sandbox sandbox, OperatorTerminal terminal, World world) {
        try (var kernel = new Kernel()) {
            var relay = new TerminalRelay(sandbox, terminal, world, new Terminal(kernel).mode(0));
            relay.start();
            return relay;
        }
    }

    private void start() {
        // Whatever ends this process, except the signal that cannot be caught.
        Runtime.getRuntime().addShutdownHook(restore);
        resize();
        // ORDER: from the moment on when keys pass through, nothing may stop us before they do not.
        Suspension.together(sandbox, this::suspend);
        passKeysThrough();
        daemon("writ-watch", () -> watch.start(mode, Terminal.raw(mode)));
        Signals.on("WINCH", this::resize);
        terminal.relay(() -> daemon("writ-redraw", this::redraw));
        daemon(
                "writ-keys",
                () -> {
                    terminal.passKeys(sandbox.input());
                    hangUp();
                });
        daemon(
                "writ-screen",
                () -> {
                    terminal.passOutput(sandbox.output(), world.out());
                    drained.countDown();
                });
    }

    private static void daemon(String name, Runnable task) {
        Thread.ofPlatform().daemon().name(name).start(task);
    }

    /// No more keys come. If that is because the terminal is gone, who does not take the hint is
    /// ended.
    private void hangUp() {
        try (var kernel = new Kernel()) {
            if (new Terminal(kernel).isTerminal(0)) {
                return;
            }
        }
        sandbox.signal(SIGHUP);
        try {
            Thread.sleep(GRACE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        sandbox.stop();
    }

    private void resize() {
        try (var kernel = new Kernel()) {
            byte[] now = new Terminal(kernel).size(0);
            if (now.length > 0 && !Arrays.equals(now, size.getAndSet(now))) {
                sandbox.resize(now);
            }
        }
    }

    /// Has the program draw its screen again: the one sure way is another size, for long enough to
    /// be noticed.
    private void redraw() {
        byte[] now = size.get();
        if (now.length == 0) {
            return;
        }
        byte[] other = now.clone();
        other[0] += (byte) (other[0] > 1 ? -1 : 1);
        sandbox.resize(other);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(NOTICED));
        sandbox.resize(size.get());
    }

    private synchronized void passKeysThrough() {
        if (!ended) {
            setMode(Terminal.raw(mode));
        }
    }

    private synchronized void restore() {
        setMode(mode);
    }

    private synchronized void end() {
        ended = true;
        restore();
    }

    private void setMode(byte[] to) {
        try (var kernel = new Kernel()) {
            new Terminal(kernel).setMode(0, to);
        }
    }

    /// The program has stopped itself: so do we, and when the shell lets us go on, so does it.
    private void suspend() {
        terminal.betweenQuestions(this::stopWithIt);
    }

    /// Nobody sets the terminal meanwhile.
    private synchronized void stopWithIt() {
        restore();
        try (var kernel = new Kernel()) {
            kernel.stopThisProcess();
        }
        passKeysThrough();
        resize();
        sandbox.signal(SIGCONT);
    }

    /// Waits for the last of the output, and gives the terminal back.
    @Override
    public void close() {
        try {
            drained.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        terminal.betweenQuestions(this::end);
        terminal.endRelay();
        watch.close();
        Runtime.getRuntime().removeShutdownHook(restore);
    }
}
