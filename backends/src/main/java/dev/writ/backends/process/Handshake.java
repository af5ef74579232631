// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.kernel.FileCalls;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.locks.LockSupport;

/// connect(2) to a port of this machine that is done or undone in a moment. The kernel would go on
/// by itself for minutes where nobody accepts, knock once a second or less often, and be let in by
/// whoever listens there by then. Who that is was looked at for this moment only.
record Handshake(Worker worker) {
    /// Long enough for an answer, and much shorter than the kernel waits before it knocks again.
    private static final Duration MOMENT = Duration.ofMillis(100);

    private static final long GLANCE = 1_000_000; // nanoseconds between looks

    private static final int TCP_SYN_SENT = 2;
    private static final int TCP_SYN_RECV = 3;
    private static final byte[] NOWHERE = new byte[16]; // AF_UNSPEC

    /// Connects `socket`, whether it waits or not.
    ///
    /// @return what connect(2) has answered; nothing if there is no answer yet, and `socket` is as
    ///     it was before
    OptionalInt attempt(int socket, byte[] to) {
        var sockets = worker.sockets;
        long patience = sockets.patienceToSend(socket);
        sockets.setPatienceToSend(socket, MOMENT.toMillis());
        try {
            long began = System.nanoTime();
            int result = sockets.connect(socket, to);
            while (worker.patient
                    && isUnderWay(socket)
                    && System.nanoTime() - began < MOMENT.toNanos()) {
                LockSupport.parkNanos(GLANCE);
            }
            return isUnderWay(socket) ? OptionalInt.empty() : OptionalInt.of(result);
        } finally {
            // Asked once more: nothing may be under way after this, whatever was thrown.
            if (isUnderWay(socket)) {
                undo(socket);
            }
            sockets.setPatienceToSend(socket, patience);
        }
    }

    /// Ends what `socket` is connected to.
    void undo(int socket) {
        worker.sockets.connect(socket, NOWHERE);
    }

    /// Whether who called waits until it is connected.
    boolean isWaitedFor(int socket) {
        return (worker.files.flags(socket) & FileCalls.O_NONBLOCK) == 0;
    }

    private boolean isUnderWay(int socket) {
        int state = worker.sockets.tcpState(socket);
        return state == TCP_SYN_SENT || state == TCP_SYN_RECV;
    }
}
