// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.kernel.Errno;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Notifications.Notification;
import java.util.concurrent.locks.LockSupport;

/// Opens named pipes, and waits for somebody at the other end as the process would. It waits by
/// looking again: so the wait ends when the process does or gets a signal, and nobody else at the
/// pipe notices. Who
/// has waited for long is looked after less often: a sandbox can have hundreds who wait.
final class NamedPipes {
    private static final long SHORTEST = 1_000_000; // nanoseconds between looks
    private static final long LONGEST = 50_000_000;
    private static final int SHARE = 16; // of the time that it has waited

    private final Worker worker;
    private long since;

    NamedPipes(Worker worker) {
        this.worker = worker;
    }

    /// Opens the pipe behind `handle`, and waits.
    ///
    /// @throws Failed if it cannot be opened, or the process that wants it is gone
    int open(Notification call, int handle, int flags) {
        since = System.nanoTime();
        int opened =
                (flags & FileCalls.O_ACCMODE) == FileCalls.O_WRONLY
                        ? openToWrite(call, handle, flags | FileCalls.O_NONBLOCK)
                        : openToRead(call, handle, flags | FileCalls.O_NONBLOCK);
        worker.files.setFlags(opened, flags);
        return opened;
    }

    private int openToWrite(Notification call, int handle, int flags) {
        int opened = worker.files.reopen(handle, flags);
        while (opened == -Errno.ENXIO) {
            pause(call);
            opened = worker.files.reopen(handle, flags);
        }
        return worker.keep(opened);
    }

    /// From the first look on, those who want to write find it open.
    private int openToRead(Notification call, int handle, int flags) {
        int opened = worker.keep(worker.files.reopen(handle, flags));
        long spare = worker.files.pipe();
        worker.keep((int) spare);
        int sink = worker.keep((int) (spare >>> 32));
        while ((flags & FileCalls.O_ACCMODE) == 0 && !worker.files.hasWriter(opened, sink)) {
            pause(call);
        }
        return opened;
    }

    private void pause(Notification call) {
        worker.requireUndisturbed(call);
        long waited = System.nanoTime() - since;
        LockSupport.parkNanos(this, Math.clamp(waited / SHARE, SHORTEST, LONGEST));
    }
}
