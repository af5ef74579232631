// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.kernel.Errno;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.Ptrace;
import java.nio.charset.StandardCharsets;

/// What `/proc` says about a task that waits for an answer.
final class Tasks {
    private static final int DEFAULT_UMASK = 077;
    private static final int BEGINNING = 1024; // has all fields but those of signals
    private static final int WHOLE = 1 << 15;

    /// Signals that nobody ends by: CHLD, CONT, STOP, TSTP, TTIN, TTOU, URG, WINCH.
    private static final long HARMLESS = 0b1000_0111_1111L << 16;

    private Tasks() {}

    /// The process that thread `task` belongs to.
    static int process(Worker worker, int task) {
        return process(worker.files, task);
    }

    static int process(FileCalls files, int task) {
        return Places.number(field(files, task, "Tgid:"));
    }

    /// The process that `process` comes from.
    static int parent(FileCalls files, int process) {
        return Places.number(field(files, process, "PPid:"));
    }

    /// The umask that files made by `task` are subject to; a strict one if it cannot be said.
    static int umask(Worker worker, int task) {
        String mask = field(worker.files, task, "Umask:");
        return mask.isEmpty() ? DEFAULT_UMASK : Integer.parseInt(mask, 8);
    }

    /// The thread that traces `task`; 0 if nobody does.
    static int tracer(FileCalls files, int task) {
        return Places.number(field(files, task, "TracerPid:"));
    }

    /// Whether `process` has ended, and its parent has not taken note of that.
    static boolean isUnburied(Kernel kernel, FileCalls files, int process) {
        return Ptrace.kill(kernel, process, 0) >= 0
                && field(files, process, "State:").startsWith("Z");
    }

    /// Whether `task` will end as soon as it goes on: a signal waits for it that it neither blocks
    /// nor ignores nor handles. Without a tracer the kernel would end it at once.
    static boolean isEnding(FileCalls files, int task) {
        return isEnding(status(files, task, WHOLE));
    }

    private static boolean isEnding(String status) {
        long pending = signals(status, "SigPnd:") | signals(status, "ShdPnd:");
        return (pending & ~kept(status) & ~signals(status, "SigCgt:") & ~HARMLESS) != 0;
    }

    private static long kept(String status) {
        return signals(status, "SigBlk:") | signals(status, "SigIgn:");
    }

    /// The error with which a call of `task` ends that waits for something, because of a signal; 0
    /// if none is there for it. After one that is handled the kernel begins the call again, or says
    /// EINTR, as the handler has it.
    static int disturbance(FileCalls files, int task) {
        String status = status(files, task, WHOLE);
        if (isEnding(status)) {
            return Errno.EINTR;
        }
        // One that is for the whole process may be taken by another thread: the kernel would not
        // look at this one then, and the program would see an error that there is not.
        boolean alone = field(status, "Threads:").equals("1");
        long own = signals(status, "SigPnd:") | (alone ? signals(status, "ShdPnd:") : 0);
        boolean handled = (own & ~kept(status) & signals(status, "SigCgt:")) != 0;
        return handled ? Errno.ERESTARTSYS : 0;
    }

    private static long signals(String status, String name) {
        String mask = field(status, name);
        return mask.isEmpty() ? 0 : Long.parseUnsignedLong(mask, 16);
    }

    private static String field(FileCalls files, int task, String name) {
        return field(status(files, task, BEGINNING), name);
    }

    private static String status(FileCalls files, int task, int length) {
        int file = files.open(FileCalls.AT_FDCWD, Walker.bytes("/proc/" + task + "/status"), 0, 0);
        if (file < 0) {
            return "";
        }
        String status = new String(files.read(file, length), StandardCharsets.ISO_8859_1);
        files.close(file);
        return status;
    }

    private static String field(String status, String name) {
        int at = status.indexOf("\n" + name);
        if (at < 0) {
            return "";
        }
        int end = status.indexOf('\n', at + 1);
        return status.substring(at + 1 + name.length(), end < 0 ? status.length() : end).strip();
    }
}
