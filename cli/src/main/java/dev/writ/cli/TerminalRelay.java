// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.sandbox.Sandbox;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.Terminal;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/// Joins the operator's terminal with the one that a sandbox has: keys in, screen out, size along.
/// Meanwhile the operator's terminal passes every key through; in the end it is as it was.
final class TerminalRelay implements AutoCloseable {
    private static final int BUFFER = 1 << 16;
    private static final int SIGHUP = 1;
    private static final int SIGCONT = 18;
    private static final long GRACE = 2000; // milliseconds

    private final Sandbox sandbox;
    private final World world;
    private final byte[] mode;
    private final AtomicReference<byte[]> size = new AtomicReference<>(new byte[0]);
    private final CountDownLatch drained = new CountDownLatch(1);
    private boolean ended; // guarded by this
    private final TerminalWatch watch = new TerminalWatch();
    private final Thread restore = new Thread(this::restore, "writ-restore");

    private TerminalRelay(Sandbox sandbox, World world, byte[] mode) {
        this.sandbox = sandbox;
        this.world = world;
        this.mode = mode;
    }

    /// Whether a person sits at a terminal, for input and for output.
    static boolean isPossible() {
        try (var kernel = new Kernel()) {
            var terminal = new Terminal(kernel);
            return terminal.isTerminal(0) && terminal.isTerminal(1);
        }
    }

    static TerminalRelay start(Sandbox sandbox, World world) {
        try (var kernel = new Kernel()) {
            var relay = new TerminalRelay(sandbox, world, new Terminal(kernel).mode(0));
            relay.start();
            return relay;
        }
    }

    private void start() {
        // Whatever ends this process, except the signal that cannot be caught.
        Runtime.getRuntime().addShutdownHook(restore);
        resize();
        // ORDER: from the moment on when keys pass through, nothing may stop us before they do not.
        sandbox.whenStopped(() -> daemon("writ-suspend", this::suspend));
        Signals.on("TSTP", () -> sandbox.signal(RunVerb.SIGSTOP));
        passKeysThrough();
        daemon("writ-watch", () -> watch.start(mode, Terminal.raw(mode)));
        Signals.on("WINCH", this::resize);
        daemon(
                "writ-keys",
                () -> {
                    copy(world.in(), sandbox.input());
                    hangUp();
                });
        daemon(
                "writ-screen",
                () -> {
                    copy(sandbox.output(), world.out());
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

    private static void copy(InputStream from, OutputStream to) {
        byte[] buffer = new byte[BUFFER];
        try {
            for (int n = from.read(buffer); n >= 0; n = from.read(buffer)) {
                to.write(buffer, 0, n);
                to.flush();
            }
        } catch (IOException e) {
            // One side is gone; the other will be soon.
        }
    }

    private void resize() {
        try (var kernel = new Kernel()) {
            byte[] now = new Terminal(kernel).size(0);
            if (now.length > 0 && !Arrays.equals(now, size.getAndSet(now))) {
                sandbox.resize(now);
            }
        }
    }

    private synchronized void passKeysThrough() {
        if (!ended) {
            setMode(Terminal.raw(mode));
        }
    }

    private synchronized void restore() {
        setMode(mode);
    }

    private void setMode(byte[] to) {
        try (var kernel = new Kernel()) {
            new Terminal(kernel).setMode(0, to);
        }
    }

    /// The program has stopped itself: so do we, and when the shell lets us go on, so does it.
    private void suspend() {
        // Nobody sets the terminal meanwhile.
        synchronized (this) {
            restore();
            try (var kernel = new Kernel()) {
                kernel.stopThisProcess();
            }
            passKeysThrough();
        }
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
        synchronized (this) {
            ended = true;
            restore();
        }
        watch.close();
        Runtime.getRuntime().removeShutdownHook(restore);
    }
}
