// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import dev.writ.trust.file.WholeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Takes entries to the write-ahead log, in batches. Whoever waits for an entry and finds nobody
/// writing writes for all who wait: so one writer alone wakes nobody, and many share one wait for
/// the disk.
///
/// All methods but {@link #await} want the lock held, and give it away while they write or wait.
final class WalWriter {
    private static final int ROOM = 64 << 10;

    private final Path folder;
    private final Disk disk;
    private final Wal wal;
    private final Signer signer;
    private final ReentrantLock lock;
    private final Condition idle;
    private Batch filling;

    /// What is being written, and up to which entry it goes. Who waits, waits for a batch: so the
    /// end of one wakes those in it, and of the others one that writes next.
    private Batch writing;

    private long writingEnd;
    private byte @Nullable [] spare;
    private Disk.@Nullable Tape tape;
    private long length;
    private long next;
    private long durable;
    private boolean busy;
    private volatile @Nullable Throwable failure;

    WalWriter(Path folder, Disk disk, Opening opening, Signer signer, ReentrantLock lock) {
        this.folder = folder;
        this.disk = disk;
        this.wal = new Wal(folder);
        this.signer = signer;
        this.lock = lock;
        this.idle = lock.newCondition();
        this.length = opening.length;
        this.filling = new Batch(opening.segment, length == 0, new byte[ROOM]);
        this.writing = filling;
        this.next = opening.tree.size() + opening.pending.size();
        this.durable = next;
    }

    /// How many entries there are, also those that are not on the disk yet.
    long next() {
        return next;
    }

    /// How many of them are on the disk.
    long durable() {
        return durable;
    }

    /// The batch that is written next.
    Batch filling() {
        return filling;
    }

    /// Adds an entry to that.
    void add(byte[] entry) {
        filling.add(next++, durable, entry);
    }

    /// Writes what there is, or waits for the end of what is being written.
    void writeOrJoin(Batch batch) {
        if (busy) {
            batch.join();
        } else {
            writeBatch();
        }
    }

    /// Returns when `batch` is on the disk, or throws. The lock is not held.
    void await(Batch batch) {
        while (!batch.await()) {
            lock.lock();
            try {
                if (batch.isOpen()) {
                    writeOrJoin(batch);
                }
            } finally {
                lock.unlock();
            }
        }
        if (batch.isLost()) {
            refuseBroken();
        }
    }

    /// Returns when the first `count` entries are on the disk.
    void writeUpTo(long count) {
        while (durable < count) {
            refuseBroken();
            var batch = busy && count <= writingEnd ? writing : filling;
            writeOrJoin(batch);
            lock.unlock();
            try {
                await(batch);
            } finally {
                lock.lock();
            }
        }
    }

    private void writeBatch() {
        var batch = filling;
        long end = next;
        long longer = length + batch.length();
        boolean full = longer > Wal.LONG;
        byte[] room = spare == null ? new byte[ROOM] : spare;
        spare = null;
        busy = true;
        filling =
                full
                        ? new Batch(new Segment(disk.random(), end, disk.boot()), true, room)
                        : new Batch(batch.segment, false, room);
        writing = batch;
        writingEnd = end;
        Throwable problem;
        lock.unlock();
        try {
            problem = tryToWrite(batch);
        } finally {
            lock.lock();
        }
        busy = false;
        idle.signalAll();
        if (problem == null) {
            durable = end;
            length = full ? 0 : longer;
            spare = batch.bytes().length > Batch.LARGE ? null : batch.bytes();
            batch.end(true);
            filling.choose();
        } else {
            fail(problem);
        }
        lock.unlock();
        try {
            batch.wake();
        } finally {
            lock.lock();
        }
    }

    private @Nullable Throwable tryToWrite(Batch batch) {
        try {
            write(batch);
            return null;
        } catch (IOException | RuntimeException | Error e) {
            return e;
        }
    }

    private void write(Batch batch) throws IOException {
        var out = tape;
        if (out == null || batch.opens) {
            if (out != null) {
                out.close();
            }
            out = disk.tape(wal.path(batch.segment.first()));
            tape = out;
        }
        out.write(batch.bytes(), batch.length());
        if (batch.opens) {
            WholeFile.syncFolder(wal.folder());
            WholeFile.syncFolder(folder);
            signer.segmentBegun(batch.segment.first());
        }
    }

    /// After this nothing is accepted any more.
    void fail(Throwable problem) {
        if (failure == null) {
            failure = problem;
        }
        for (var batch : List.of(writing, filling)) {
            batch.end(false);
            batch.wake();
        }
    }

    boolean hasFailed() {
        return failure != null;
    }

    /// The lock need not be held.
    void refuseBroken() {
        var why = failure;
        if (why != null) {
            throw new LogException(stopped("could not be written"), why);
        }
    }

    String stopped(String why) {
        return "the log `"
                + folder
                + "` "
                + why
                + ", so nothing more can be recorded in it; free the disk or repair it, and open the"
                + " log again";
    }

    void awaitIdle() {
        while (busy) {
            idle.awaitUninterruptibly();
        }
    }

    /// Nobody writes any more. The lock need not be held.
    void close() throws IOException {
        var out = tape;
        if (out != null) {
            out.close();
        }
        if (failure == null) {
            wal.closed();
        }
    }
}
