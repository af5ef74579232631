// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;

/// seccomp_unotify(2), the side that answers: takes the calls that confined processes wait in, and
/// says what comes of them.
public final class Notifications {
    private static final long RECV = 0xC0502100L;
    private static final long SEND = 0xC0182101L;
    private static final long ID_VALID = 0x40082102L;
    private static final long ADDFD = 0x40182103L;
    private static final long SET_FLAGS = 0x40082104L;
    private static final int FLAG_CONTINUE = 1;
    private static final int ADDFD_FLAG_SETFD = 1;
    private static final int ADDFD_FLAG_SEND = 2;
    private static final long SYNC_WAKE_UP = 1;
    private static final short POLLIN = 1;
    private static final short POLLHUP = 16;

    private final Kernel kernel;
    private final MemorySegment request;
    private final MemorySegment reply;
    private final MemorySegment gift;
    private final MemorySegment poll;
    private int listener = -1;

    public Notifications(Kernel kernel) {
        this.kernel = kernel;
        this.request = kernel.memory(80);
        this.reply = kernel.memory(24);
        this.gift = kernel.memory(24);
        this.poll = kernel.memory(8);
    }

    /// From now on, takes the calls that come to `descriptor`.
    public void listenTo(int descriptor) {
        listener = descriptor;
    }

    /// Lets the kernel hand the processor over at once instead of looking for a free one: shorter
    /// round trips where the caller waits anyway. A hint; older kernels do not have it.
    public void preferSameProcessor() {
        kernel.call(Call.IOCTL.number(), listener, SET_FLAGS, SYNC_WAKE_UP);
    }

    /// What became of waiting for a call.
    public enum Received {
        A_CALL,
        NOTHING,
        NOBODY_LEFT
    }

    /// Waits for a call. [Received#NOTHING] is no reason to stop: its maker may have died
    /// meanwhile.
    public Received receive() {
        // struct seccomp_notif { u64 id; u32 pid, flags; struct seccomp_data {
        //     int nr; u32 arch; u64 instruction_pointer, args[6]; } }
        request.fill((byte) 0);
        long result = kernel.call(Call.IOCTL.number(), listener, RECV, request.address());
        if (result == 0) {
            return Received.A_CALL;
        }
        return isAbandoned() ? Received.NOBODY_LEFT : Received.NOTHING;
    }

    /// Waits until a call has come; false if none can come any more.
    public boolean await() {
        long ready;
        do {
            ready = poll(0);
        } while (ready == -Errno.EINTR);
        return ready > 0 && (poll.get(JAVA_SHORT, 6) & POLLIN) != 0;
    }

    /// Whether no process is left that could call.
    private boolean isAbandoned() {
        reply.fill((byte) 0); // a timeout of zero
        return poll(reply.address()) < 0 || (poll.get(JAVA_SHORT, 6) & POLLHUP) != 0;
    }

    private long poll(long timeout) {
        // struct pollfd { int fd; short events, revents; }
        poll.set(JAVA_INT, 0, listener);
        poll.set(JAVA_SHORT, 4, POLLIN);
        poll.set(JAVA_SHORT, 6, (short) 0);
        return kernel.call(Call.PPOLL.number(), poll.address(), 1, timeout, 0, 0);
    }

    /// A call that somebody waits in.
    ///
    /// @param task the thread that calls
    public record Notification(long id, int task, int number, long[] arguments) {
        public long argument(int index) {
            return arguments[index];
        }
    }

    /// The call that was received last.
    public Notification notification() {
        var arguments = new long[6];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = request.get(JAVA_LONG, 32 + 8L * i);
        }
        return new Notification(
                request.get(JAVA_LONG, 0),
                request.get(JAVA_INT, 8),
                request.get(JAVA_INT, 16),
                arguments);
    }

    /// Whether the maker of call `id` still waits. Whatever was read about a task by its number
    /// counts only if this holds afterwards: numbers are used again.
    public boolean isWaiting(long id) {
        reply.set(JAVA_LONG, 0, id);
        return kernel.call(Call.IOCTL.number(), listener, ID_VALID, reply.address()) == 0;
    }

    /// Ends call `id` with a result, or with an error number if it is negative.
    public void answer(long id, long result) {
        // struct seccomp_notif_resp { u64 id; s64 val; s32 error; u32 flags; }
        reply.set(JAVA_LONG, 0, id);
        reply.set(JAVA_LONG, 8, result < 0 ? 0 : result);
        reply.set(JAVA_INT, 16, result < 0 ? (int) result : 0);
        reply.set(JAVA_INT, 20, 0);
        kernel.call(Call.IOCTL.number(), listener, SEND, reply.address());
    }

    /// Lets the kernel carry call `id` out. Only for calls whose harmlessness does not depend on
    /// anything in the caller's memory, which may change until the kernel reads it.
    public void letPass(long id) {
        reply.set(JAVA_LONG, 0, id);
        reply.set(JAVA_LONG, 8, 0);
        reply.set(JAVA_INT, 16, 0);
        reply.set(JAVA_INT, 20, FLAG_CONTINUE);
        kernel.call(Call.IOCTL.number(), listener, SEND, reply.address());
    }

    /// Ends call `id` with a copy of our `descriptor`, in one step. If it cannot be handed over,
    /// the call gets the error.
    ///
    /// @return the descriptor that it is there, or the negated error
    public int give(long id, int descriptor, boolean closeOnExec) {
        int result = give(id, descriptor, closeOnExec, ADDFD_FLAG_SEND, 0);
        if (result < 0) {
            answer(id, result);
        }
        return result;
    }

    /// The same in two steps: the call goes on waiting until it is answered with what is returned.
    /// So our own `descriptor` can be closed before anybody goes on.
    public int giveWaiting(long id, int descriptor, boolean closeOnExec) {
        return give(id, descriptor, closeOnExec, 0, 0);
    }

    /// As [#give], with the number that it is to have there: what has that number is replaced. The
    /// call goes on waiting if this fails.
    public int giveAs(long id, int descriptor, boolean closeOnExec, int number) {
        return give(id, descriptor, closeOnExec, ADDFD_FLAG_SEND | ADDFD_FLAG_SETFD, number);
    }

    private int give(long id, int descriptor, boolean closeOnExec, int flags, int number) {
        // struct seccomp_notif_addfd { u64 id; u32 flags, srcfd, newfd, newfd_flags; }
        gift.set(JAVA_LONG, 0, id);
        gift.set(JAVA_INT, 8, flags);
        gift.set(JAVA_INT, 12, descriptor);
        gift.set(JAVA_INT, 16, number);
        gift.set(JAVA_INT, 20, closeOnExec ? FileCalls.O_CLOEXEC : 0);
        return (int) kernel.call(Call.IOCTL.number(), listener, ADDFD, gift.address());
    }
}
