// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.Streams;
import dev.writ.kernel.Terminal;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;

/// The operator's terminal, which what runs in a sandbox and the questions about it take turns at.
/// Keys and output of the sandbox pass through here; while somebody is asked they are held back:
/// not read, so that whoever writes waits.
final class OperatorTerminal {
    private static final int BUFFER = 1 << 16;
    private static final int MOST_NOTICES = 1000;
    private static final int STANDARD_INPUT = 0;

    private final int descriptor;
    private final OutputStream screen;

    /// Held by whoever uses the terminal at the moment.
    private final ReentrantLock gate = new ReentrantLock(true);

    private final ScreenState state = new ScreenState();
    private final Queue<String> notices = new ArrayDeque<>(); // guarded by itself
    private volatile Runnable redraw = () -> {};
    private volatile boolean relayed;

    private OperatorTerminal(int descriptor, OutputStream screen) {
        this.descriptor = descriptor;
        this.screen = screen;
    }

    /// The terminal that standard input and output are.
    static OperatorTerminal standard(World world) {
        return new OperatorTerminal(STANDARD_INPUT, world.out());
    }

    /// The terminal that this process was started at, wherever its input and output go.
    static Optional<OperatorTerminal> controlling() {
        try (var kernel = new Kernel()) {
            var files = new FileCalls(kernel);
            int tty =
                    files.open(
                            FileCalls.AT_FDCWD,
                            "/dev/tty".getBytes(StandardCharsets.US_ASCII),
                            FileCalls.O_RDWR | FileCalls.O_NOCTTY,
                            0);
            return tty < 0
                    ? Optional.empty()
                    : Optional.of(new OperatorTerminal(tty, Streams.output(tty)));
        }
    }

    static boolean isTerminal(int descriptor) {
        try (var kernel = new Kernel()) {
            return new Terminal(kernel).isTerminal(descriptor);
        }
    }

    /// What is done after a question for a program that has to draw its screen again. As long as
    /// there is such a thing, the terminal is relayed, and does not end lines by itself.
    void relay(Runnable drawAgain) {
        redraw = drawAgain;
        relayed = true;
    }

    void endRelay() {
        redraw = () -> {};
        relayed = false;
    }

    /// Passes standard input on, until it ends.
    void passKeys(OutputStream to) {
        byte[] buffer = new byte[BUFFER];
        var in = Streams.input(STANDARD_INPUT);
        try (var kernel = new Kernel()) {
            var terminal = new Terminal(kernel);
            while (true) {
                terminal.await(STANDARD_INPUT, -1);
                int n = 0;
                gate.lock();
                try {
                    // What came for a question is gone by now.
                    if (terminal.await(STANDARD_INPUT, 0)) {
                        n = in.read(buffer);
                    }
                } finally {
                    gate.unlock();
                }
                if (n < 0) {
                    return;
                }
                to.write(buffer, 0, n);
                to.flush();
            }
        } catch (IOException e) {
            // Nobody reads any more.
        }
    }

    /// Passes the output of a sandbox on, until it ends or nobody wants it.
    void passOutput(InputStream from, PrintStream to) {
        byte[] buffer = new byte[BUFFER];
        try {
            for (int n = from.read(buffer); n >= 0; n = from.read(buffer)) {
                gate.lock();
                try {
                    to.write(buffer, 0, n);
                    to.flush();
                    state.watch(buffer, n);
                } finally {
                    gate.unlock();
                }
                if (to.checkError()) {
                    from.close(); // so that who writes hears of it
                    return;
                }
            }
        } catch (IOException e) {
            // One side is gone; the other will be soon.
        }
    }

    /// Does `work` when no question is on the screen.
    void betweenQuestions(Runnable work) {
        gate.lock();
        try {
            work.run();
        } finally {
            gate.unlock();
        }
    }

    /// Standard error, whose lines wait while a question is on the screen. Nobody waits with them.
    PrintStream errors(PrintStream err) {
        return new PrintStream(err, true, StandardCharsets.UTF_8) {
            @Override
            public void println(String line) {
                synchronized (notices) {
                    if (notices.size() < MOST_NOTICES) {
                        notices.add(line);
                    }
                }
                if (gate.tryLock()) {
                    try {
                        sayNotices(err);
                    } finally {
                        gate.unlock();
                    }
                }
            }
        };
    }

    private void sayNotices(PrintStream err) {
        synchronized (notices) {
            while (!notices.isEmpty()) {
                err.print(notices.remove() + (relayed ? "\r\n" : "\n"));
            }
            err.flush();
        }
    }

    /// Has the whole terminal used for a question; nothing if it is not this process's turn at it.
    ///
    /// @param err where lines go that have waited meanwhile
    <T> Optional<T> take(PrintStream err, Function<Turn, T> use) {
        Optional<T> result = Optional.empty();
        gate.lock();
        try (var kernel = new Kernel()) {
            var terminal = new Terminal(kernel);
            if (terminal.isForeground(descriptor)) {
                try (var turn = new Turn(kernel, terminal)) {
                    result = Optional.of(use.apply(turn));
                }
                sayNotices(err);
            }
        } finally {
            gate.unlock();
        }
        if (result.isPresent() && state.isFullScreen()) {
            redraw.run();
        }
        return result;
    }

    /// Somebody's use of the whole terminal, on one thread.
    final class Turn implements AutoCloseable {
        private static final int MOST_KEYS = 256;
        private static final int ROWS = 24;
        private static final int COLUMNS = 80;

        private final Terminal terminal;
        private final FileCalls files;
        private final byte[] mode;
        private final Thread rescue = new Thread(this::giveBack, "writ-rescue");

        private Turn(Kernel kernel, Terminal terminal) {
            this.terminal = terminal;
            this.files = new FileCalls(kernel);
            this.mode = terminal.mode(descriptor);
            hook(r -> r.addShutdownHook(rescue));
            terminal.setMode(descriptor, Terminal.raw(mode));
            terminal.flushInput(descriptor);
            send(state.take());
        }

        private static void hook(Consumer<Runtime> change) {
            try {
                change.accept(Runtime.getRuntime());
            } catch (IllegalStateException e) {
                // This process is about to end.
            }
        }

        private void send(byte[] bytes) {
            try {
                screen.write(bytes);
                screen.flush();
            } catch (IOException e) {
                // The terminal is gone, which its keys will tell.
            }
        }

        /// Draws a whole screen; the cursor stays at its end.
        void draw(List<String> lines) {
            send(
                    ("\u001b[H" + String.join("\u001b[K\r\n", lines) + "\u001b[K\u001b[J")
                            .getBytes(StandardCharsets.UTF_8));
        }

        /// Has the terminal say where its cursor is, when it has come that far.
        void askForPlace() {
            send("\u001b[6n".getBytes(StandardCharsets.US_ASCII));
        }

        int rows() {
            return size(0, ROWS);
        }

        int columns() {
            return size(2, COLUMNS);
        }

        private int size(int at, int otherwise) {
            byte[] size = terminal.size(descriptor);
            var order = ByteOrder.nativeOrder();
            int number =
                    size.length == 0 ? 0 : ByteBuffer.wrap(size).order(order).getShort(at) & 0xffff;
            return number == 0 ? otherwise : number;
        }

        /// What was typed, if anything within this time; nothing at all if nobody can type any
        /// more.
        Optional<byte[]> keys(int milliseconds) {
            if (!terminal.await(descriptor, milliseconds)) {
                return Optional.of(new byte[0]);
            }
            byte[] keys = files.read(descriptor, MOST_KEYS);
            return keys.length == 0 ? Optional.empty() : Optional.of(keys);
        }

        private void giveBack() {
            send(state.giveBack());
            try (var own = new Kernel()) {
                new Terminal(own).setMode(descriptor, mode);
            }
        }

        @Override
        public void close() {
            terminal.flushInput(descriptor);
            giveBack();
            hook(r -> r.removeShutdownHook(rescue));
        }
    }
}
