// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.kernel.Errno;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Notifications.Notification;

/// connect(2) on a socket that a process shares with us, for as long as the process waits for it,
/// and no longer: whoever listens may never answer, and nobody wakes us when the process ends or
/// gets a signal.
record Connecting(Worker worker, Notification call) {
    private static final long GLANCE = 100; // milliseconds between looks
    private static final long MILLISECOND = 1_000_000;

    /// @throws Failed if nobody waits for it any more
    int to(int socket, byte[] address) {
        var sockets = worker.sockets;
        if (!worker.patient) {
            worker.requireWaiting(call);
            return sockets.connect(socket, address);
        }
        long patience = sockets.patienceToSend(socket);
        long began = System.nanoTime();
        try {
            worker.requireWaiting(call);
            while (true) {
                sockets.setPatienceToSend(socket, GLANCE);
                int result = sockets.connect(socket, address);
                if (!isUnfinished(result) || !mayBlock(socket) || !isInTime(began, patience)) {
                    return result;
                }
                worker.requireUndisturbed(call);
            }
        } finally {
            sockets.setPatienceToSend(socket, patience);
        }
    }

    private static boolean isUnfinished(int result) {
        return result == -Errno.EAGAIN || result == -Errno.EINPROGRESS || result == -Errno.EALREADY;
    }

    private boolean mayBlock(int socket) {
        return (worker.files.flags(socket) & FileCalls.O_NONBLOCK) == 0;
    }

    private static boolean isInTime(long began, long patience) {
        return patience == 0 || System.nanoTime() - began < patience * MILLISECOND;
    }
}
