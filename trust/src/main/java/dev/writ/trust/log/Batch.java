// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Records that go to the disk together, and the threads that wait for it. They wait without the
/// lock of the log: having to take it again, each would be woken by the one before.
final class Batch {
    /// Whoever adds to one that is longer than this waits for the disk.
    static final int LARGE = 4 << 20;

    final Segment segment;

    /// Whether the segment begins with this.
    final boolean opens;

    private final List<Thread> waiting = new ArrayList<>();
    private volatile @Nullable Thread chosen;
    private volatile State state = State.OPEN;
    private byte[] bytes;
    private int length;
    private boolean due;
    private long dueSince;

    private enum State {
        OPEN,
        WRITTEN,
        LOST
    }

    Batch(Segment segment, boolean opens, byte[] room) {
        this.segment = segment;
        this.opens = opens;
        this.bytes = room;
        if (opens) {
            reserve(Segment.HEAD);
            System.arraycopy(segment.head(), 0, bytes, 0, Segment.HEAD);
            length = Segment.HEAD;
        }
    }

    void add(long index, long durable, byte[] entry) {
        int more = Segment.BEFORE + entry.length;
        reserve(more);
        segment.write(index, durable, entry, bytes, length);
        length += more;
    }

    private void reserve(int more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
        }
    }

    /// It is to be written soon, also if nobody waits for it. Says whether that is news.
    boolean due() {
        if (due) {
            return false;
        }
        due = true;
        dueSince = System.nanoTime();
        return true;
    }

    /// For how many of `longest` nanoseconds nobody has to write it yet.
    long canWait(long longest) {
        return due ? dueSince + longest - System.nanoTime() : Long.MAX_VALUE;
    }

    boolean isLarge() {
        return length > LARGE;
    }

    int length() {
        return length;
    }

    byte[] bytes() {
        return bytes;
    }

    /// This thread is going to wait. The lock is held.
    void join() {
        waiting.add(Thread.currentThread());
    }

    /// Waits until it is on the disk or lost, and says so; or until this thread is chosen to write.
    boolean await() {
        boolean interrupted = false;
        var self = Thread.currentThread();
        while (isOpen() && !self.equals(chosen)) {
            LockSupport.park(this);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            self.interrupt();
        }
        if (self.equals(chosen)) {
            chosen = null;
        }
        return !isOpen();
    }

    /// Chooses one of those who wait to write it. The lock is held.
    void choose() {
        if (!waiting.isEmpty()) {
            chosen = waiting.getFirst();
            LockSupport.unpark(chosen);
        }
    }

    /// Nobody is going to wait for it any more. The lock is held.
    void end(boolean written) {
        if (isOpen()) {
            state = written ? State.WRITTEN : State.LOST;
        }
    }

    /// After the end: lets those go on who wait. The lock need not be held.
    void wake() {
        waiting.forEach(LockSupport::unpark);
    }

    boolean isOpen() {
        return state == State.OPEN;
    }

    boolean isLost() {
        return state == State.LOST;
    }
}
