// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;

/// splice(2): moves what is in a pipe to another descriptor, without a look at it. It belongs to
/// one thread.
public final class Splice {
    private static final int FIONREAD = 0x541B;
    private static final int F_SETPIPE_SZ = 1031;
    private static final int POLLIN = 1;
    private static final int BUFFER = 1 << 16;

    private final Kernel kernel;
    private final MemorySegment few;
    private final MemorySegment buffer;

    public Splice(Kernel kernel) {
        this.kernel = kernel;
        this.few = kernel.memory(8);
        this.buffer = kernel.memory(BUFFER);
    }

    /// Gives a pipe so much room, if that is to be had.
    public static void widen(Kernel kernel, int pipe, int bytes) {
        kernel.call(Call.FCNTL.number(), pipe, F_SETPIPE_SZ, bytes);
    }

    /// Waits until something is in a pipe, and says how much; 0 if nothing can come any more.
    public int await(int pipe) {
        long ready;
        do {
            // struct pollfd { int fd; short events, revents; }
            few.set(JAVA_INT, 0, pipe);
            few.set(JAVA_INT, 4, POLLIN);
            ready = kernel.call(Call.PPOLL.number(), few.address(), 1, 0, 0, 0);
        } while (ready == -Errno.EINTR);
        long result = kernel.call(Call.IOCTL.number(), pipe, FIONREAD, few.address());
        return result < 0 ? 0 : few.get(JAVA_INT, 0);
    }

    /// Moves so many bytes that are in `pipe`; false if nobody takes them.
    public boolean move(int pipe, int to, int bytes) {
        long left = bytes;
        while (left > 0) {
            long moved = kernel.call(Call.SPLICE.number(), pipe, 0, to, 0, left, 0);
            if (moved == -Errno.EINVAL) {
                moved = copy(pipe, to, left); // a terminal, or a file that is only added to
            }
            if (moved <= 0 && moved != -Errno.EINTR && moved != -Errno.EAGAIN) {
                return false;
            }
            left -= Math.max(0, moved);
        }
        return true;
    }

    private long copy(int pipe, int to, long bytes) {
        long read =
                kernel.call(Call.READ.number(), pipe, buffer.address(), Math.min(bytes, BUFFER));
        for (long done = 0; done < read; ) {
            long written =
                    kernel.call(Call.WRITE.number(), to, buffer.address() + done, read - done);
            if (written <= 0 && written != -Errno.EINTR && written != -Errno.EAGAIN) {
                return written;
            }
            done += Math.max(0, written);
        }
        return read;
    }
}
