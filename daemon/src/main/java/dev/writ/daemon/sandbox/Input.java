// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.sandbox;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// What a process gets to read, written by one thread that may have to wait for it.
final class Input {
    private static final int MOST = 1 << 20;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<byte[]> waiting = new ArrayDeque<>();
    private final Executor threads;
    private int held;
    private boolean ends;
    private boolean broken;
    private boolean opened;
    private boolean running;
    private boolean writing;
    private OutputStream out = OutputStream.nullOutputStream();

    /// @param threads platform threads: to write to a pipe holds on to one
    Input(Executor threads) {
        this.threads = threads;
    }

    /// The process is there to read.
    void open(OutputStream stream) {
        lock.lock();
        try {
            out = stream;
            opened = true;
            begin();
        } finally {
            lock.unlock();
        }
    }

    /// Most processes are never given anything, and need no thread for it.
    private void begin() {
        if (opened && !running && (ends || !waiting.isEmpty())) {
            running = true;
            threads.execute(this::run);
        }
    }

    /// Passes `bytes` on, after all that came before. Waits where too much is waiting already.
    ///
    /// @return false if the process reads no more, or there is no room for that long
    boolean write(byte[] bytes, boolean last, long nanoseconds) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = nanoseconds;
            while (held > MOST && !broken && left > 0) {
                left = changed.awaitNanos(left);
            }
            if (broken || ends || held > MOST) {
                return false;
            }
            waiting.addLast(bytes);
            held += bytes.length;
            ends = last;
            changed.signalAll();
            begin();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /// Nobody reads any more. Returns when nothing is being written: the stream may be a descriptor
    /// whose number is somebody else's after it is closed.
    void close() {
        lock.lock();
        try {
            broken = true;
            changed.signalAll();
            while (writing) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        try (var stream = out) {
            byte[] next = take();
            while (next.length > 0) {
                stream.write(next);
                stream.flush();
                next = take();
            }
        } catch (IOException e) {
            // It has closed its input, which it may.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            over();
        }
    }

    private void over() {
        lock.lock();
        try {
            writing = false;
            broken = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// What is next; empty at the end.
    private byte[] take() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            writing = false;
            changed.signalAll();
            while (true) {
                if (broken) {
                    return new byte[0];
                }
                var next = waiting.pollFirst();
                if (next != null && next.length > 0) {
                    held -= next.length;
                    writing = true;
                    changed.signalAll();
                    return next;
                }
                if (next == null && ends) {
                    return new byte[0];
                }
                if (next == null) {
                    changed.await(1, TimeUnit.MINUTES);
                }
            }
        } finally {
            lock.unlock();
        }
    }
}
