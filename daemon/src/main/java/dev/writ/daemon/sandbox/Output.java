// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.sandbox;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// What a process has written, up to a bound. While somebody listens, a process that writes faster
/// than it is read has to wait, and nothing is lost. While nobody does, the oldest makes room, so
/// that no process ever waits for a reader that may not come.
public final class Output {
    private static final int MOST = 256 * 1024;
    private static final int PIECE = 64;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<Piece> pieces = new ArrayDeque<>();
    private long next = 1;
    private int held;
    private int listeners;
    private boolean over;
    private boolean unwanted;

    /// What there is after some piece.
    ///
    /// @param lost whether pieces before these made room
    /// @param next the number of the piece after these
    /// @param over whether nothing comes after these
    public record Part(List<Piece> pieces, boolean lost, long next, boolean over) {}

    Output() {}

    /// Adds what was written; waits if it must. Never called by a thread that acts for a sandbox.
    void write(String stream, byte[] bytes) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (listeners > 0 && !unwanted && held >= MOST) {
                changed.await();
            }
            add(stream, bytes, Map.of());
        } finally {
            lock.unlock();
        }
    }

    /// Adds something that happened.
    void note(String type, Map<String, @Nullable Object> fields) {
        lock.lock();
        try {
            add(type, new byte[0], fields);
        } finally {
            lock.unlock();
        }
    }

    /// Adds the last thing that happened.
    void end(String type, Map<String, @Nullable Object> fields) {
        lock.lock();
        try {
            over = true;
            add(type, new byte[0], fields);
        } finally {
            lock.unlock();
        }
    }

    private void add(String type, byte[] bytes, Map<String, @Nullable Object> fields) {
        pieces.addLast(new Piece(next++, type, bytes, fields));
        held += cost(bytes);
        while (listeners == 0 && held > MOST && pieces.size() > 1) {
            removeFirst();
        }
        changed.signalAll();
    }

    private void removeFirst() {
        held -= cost(pieces.removeFirst().bytes());
    }

    private static int cost(byte[] bytes) {
        return bytes.length + PIECE;
    }

    /// It is being ended: what it still writes must not keep it.
    void letGo() {
        lock.lock();
        try {
            unwanted = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Somebody begins to listen.
    void listen() {
        lock.lock();
        try {
            listeners++;
        } finally {
            lock.unlock();
        }
    }

    /// Somebody listens no more.
    void leave() {
        lock.lock();
        try {
            listeners--;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// What comes after piece `after`; up to that one they have been heard, and are gone. At most
    /// `bytes` of it but at least one piece. Waits for one, but not longer than so many
    /// nanoseconds.
    public Part after(long after, long nanoseconds, int bytes) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!pieces.isEmpty() && pieces.getFirst().number() <= after) {
                removeFirst();
            }
            changed.signalAll();
            long left = nanoseconds;
            while (next <= after + 1 && !over && left > 0) {
                left = changed.awaitNanos(left);
            }
            return part(after, bytes);
        } finally {
            lock.unlock();
        }
    }

    private Part part(long after, int bytes) {
        var found = new ArrayList<Piece>();
        int size = 0;
        for (var piece : pieces) {
            if (piece.number() > after) {
                size += piece.bytes().length;
                if (size > bytes && !found.isEmpty()) {
                    break;
                }
                found.add(piece);
            }
        }
        long following = found.isEmpty() ? Math.max(after + 1, 1) : found.getLast().number() + 1;
        boolean lost = !found.isEmpty() && found.getFirst().number() > after + 1;
        return new Part(found, lost, following, over && following >= next);
    }

    /// Waits until nothing more comes; false if that takes longer.
    boolean awaitEnd(long time, TimeUnit unit) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = unit.toNanos(time);
            while (!over && left > 0) {
                left = changed.awaitNanos(left);
            }
            return over;
        } finally {
            lock.unlock();
        }
    }
}
