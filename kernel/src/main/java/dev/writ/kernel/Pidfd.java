// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

/// pidfd_open(2) and pidfd_getfd(2): a process that cannot be mistaken for another, and copies of
/// its descriptors.
public final class Pidfd {
    private static final int PIDFD_THREAD = 0x80; // O_EXCL: the thread, not its process

    private Pidfd() {}

    /// A handle on the process or thread `task`.
    public static int open(Kernel kernel, int task) {
        long process = kernel.call(Call.PIDFD_OPEN.number(), task, 0);
        return (int)
                (process >= 0
                        ? process
                        : kernel.call(Call.PIDFD_OPEN.number(), task, PIDFD_THREAD));
    }

    /// Sends a signal to the process behind a handle, and to no other that may have its number by
    /// now.
    public static long signal(Kernel kernel, int process, int signal) {
        return kernel.call(Call.PIDFD_SEND_SIGNAL.number(), process, signal, 0, 0);
    }

    /// Whether the process behind a handle has ended, also if nobody has heard of its end yet.
    public static boolean hasEnded(Kernel kernel, int process) {
        return process < 0 || new Terminal(kernel).await(process, 0);
    }

    /// A copy of `descriptor` of `task`.
    public static int descriptor(Kernel kernel, int task, int descriptor) {
        int process = open(kernel, task);
        if (process < 0) {
            return process;
        }
        long copy = kernel.call(Call.PIDFD_GETFD.number(), process, descriptor, 0);
        kernel.call(Call.CLOSE.number(), process);
        return (int) copy;
    }
}
