// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/// pty(7) and termios(3): a terminal for others, and how the one at hand behaves.
public final class Terminal {
    private static final int TCGETS = 0x5401;
    private static final int TCSETSW = 0x5403;
    private static final int TCFLSH = 0x540B;
    private static final int TIOCGPGRP = 0x540F;
    private static final int TIOCGWINSZ = 0x5413;
    private static final int TIOCSWINSZ = 0x5414;
    private static final long TIOCGPTN = 0x80045430L;
    private static final long TIOCSPTLCK = 0x40045431L;
    private static final long TIOCGPTPEER = 0x5441;

    // struct termios of the kernel: four int of flags (input, output, control, local), a line
    // discipline, and 19 control characters
    private static final int TERMIOS = 36;
    private static final int WINSIZE = 8;
    private static final short POLLIN = 1;
    private static final int INPUT_OF_RAW = ~(01 | 02 | 010 | 040 | 0100 | 0200 | 0400 | 02000);
    private static final int OPOST = 1;
    private static final int LOCAL_OF_RAW = ~(01 | 02 | 010 | 0100 | 0100000);
    private static final int CS8 = 060;
    private static final int CONTROL = 17;
    private static final int CHARACTERS = 32;
    private static final int VMIN = CONTROL + 6;
    private static final int VTIME = CONTROL + 5;

    private final Kernel kernel;
    private final MemorySegment memory;

    public Terminal(Kernel kernel) {
        this.kernel = kernel;
        this.memory = kernel.memory(64);
    }

    /// A new terminal.
    ///
    /// @param master the descriptor of whoever stands for the person at it
    /// @param path where a program finds it
    public record Pair(int master, String path) {}

    /// @throws KernelException if there can be none
    public Pair make() {
        var files = new FileCalls(kernel);
        int master =
                (int)
                        Kernel.check(
                                "open of /dev/ptmx",
                                files.open(
                                        FileCalls.AT_FDCWD,
                                        "/dev/ptmx".getBytes(StandardCharsets.US_ASCII),
                                        FileCalls.O_RDWR | FileCalls.O_NOCTTY,
                                        0));
        memory.set(JAVA_INT, 0, 0);
        Kernel.check("unlocking a terminal", control(master, TIOCSPTLCK));
        Kernel.check("asking for a terminal's name", control(master, TIOCGPTN));
        return new Pair(master, "/dev/pts/" + memory.get(JAVA_INT, 0));
    }

    /// A handle to the other end of `master`, which is not opened by that; or the negated error.
    public int handle(int master) {
        return (int)
                kernel.call(
                        Call.IOCTL.number(),
                        master,
                        TIOCGPTPEER,
                        FileCalls.O_PATH | FileCalls.O_CLOEXEC);
    }

    public boolean isTerminal(int descriptor) {
        return control(descriptor, TCGETS) >= 0;
    }

    /// How the terminal behaves; empty if it is none.
    public byte[] mode(int descriptor) {
        return control(descriptor, TCGETS) < 0 ? new byte[0] : bytes(TERMIOS);
    }

    public void setMode(int descriptor, byte[] mode) {
        put(mode);
        control(descriptor, TCSETSW);
    }

    /// `mode`, changed so that every key passes through untouched.
    public static byte[] raw(byte[] mode) {
        var raw = ByteBuffer.wrap(mode.clone()).order(ByteOrder.nativeOrder());
        raw.putInt(0, raw.getInt(0) & INPUT_OF_RAW);
        raw.putInt(4, raw.getInt(4) & ~OPOST);
        raw.putInt(8, raw.getInt(8) | CS8);
        raw.putInt(12, raw.getInt(12) & LOCAL_OF_RAW);
        raw.put(VMIN, (byte) 1);
        raw.put(VTIME, (byte) 0);
        return raw.array();
    }

    /// `mode` as `stty` reads and writes it: flags and control characters, of which the C library
    /// has more than the kernel.
    public static String text(byte[] mode) {
        var bytes = ByteBuffer.wrap(mode).order(ByteOrder.nativeOrder());
        var text = new StringBuilder(Integer.toHexString(bytes.getInt(0)));
        for (int i = 1; i < 4; i++) {
            text.append(':').append(Integer.toHexString(bytes.getInt(4 * i)));
        }
        for (int i = 0; i < CHARACTERS; i++) {
            boolean known = CONTROL + i < TERMIOS;
            text.append(':').append(known ? Integer.toHexString(mode[CONTROL + i] & 0xff) : "0");
        }
        return text.toString();
    }

    /// Rows and columns, as the kernel has them; empty if it is no terminal.
    public byte[] size(int descriptor) {
        return control(descriptor, TIOCGWINSZ) < 0 ? new byte[0] : bytes(WINSIZE);
    }

    public void setSize(int descriptor, byte[] size) {
        put(size);
        control(descriptor, TIOCSWINSZ);
    }

    /// Drops what was typed and not read yet.
    public void flushInput(int descriptor) {
        kernel.call(Call.IOCTL.number(), descriptor, TCFLSH, 0); // TCIFLUSH
    }

    /// Whether this process belongs to those that the terminal is for at the moment, and the
    /// terminal is its own.
    public boolean isForeground(int descriptor) {
        return control(descriptor, TIOCGPGRP) >= 0
                && memory.get(JAVA_INT, 0) == kernel.call(Call.GETPGID.number(), 0);
    }

    /// Waits until there is something to read, or the other side is gone; false if neither has
    /// happened within `milliseconds`. A negative number waits for good.
    public boolean await(int descriptor, long milliseconds) {
        // struct pollfd { int fd; short events, revents; }, struct timespec { long sec, nsec; }
        memory.set(JAVA_INT, 0, descriptor);
        memory.set(JAVA_SHORT, 4, POLLIN);
        memory.set(JAVA_SHORT, 6, (short) 0);
        memory.set(JAVA_LONG, 8, milliseconds / 1000);
        memory.set(JAVA_LONG, 16, milliseconds % 1000 * 1_000_000);
        long timeout = milliseconds < 0 ? 0 : memory.address() + 8;
        return kernel.call(Call.PPOLL.number(), memory.address(), 1, timeout, 0, 0) > 0;
    }

    private long control(int descriptor, long request) {
        return kernel.call(Call.IOCTL.number(), descriptor, request, memory.address());
    }

    private byte[] bytes(int length) {
        return memory.asSlice(0, length).toArray(JAVA_BYTE);
    }

    private void put(byte[] bytes) {
        MemorySegment.copy(bytes, 0, memory, JAVA_BYTE, 0, bytes.length);
    }
}
