// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import dev.writ.trust.file.FolderLock;
import dev.writ.trust.file.WholeFile;
import dev.writ.trust.key.SigningKey;
import dev.writ.trust.key.VerifyingKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// A log that is being written: by this object alone, from any number of threads.
///
/// An entry goes to the write-ahead log, and is acknowledged when it is on the disk there. Whoever
/// appends and finds nobody writing writes for all who wait: so one writer alone wakes nobody, and
/// many share one wait for the disk. One thread of the log's own, made when it is opened, sees to
/// the rest: entries that are due soon, tiles, and a checkpoint once a second.
///
/// After a failure nothing is accepted any more: the kernel may have forgotten what it did not
/// write. Opening the log again finds out what is really there.
public final class Log implements AutoCloseable {
    private static final long SOON = MILLISECONDS.toNanos(20);
    private static final long SIGNED_EVERY = SECONDS.toNanos(1);
    private static final int TILES_EVERY = 8192;
    private static final int MOST_PENDING = 64 * TILES_EVERY;
    private static final int LARGE_BATCH = 4 << 20;
    private static final int ROOM = 64 << 10;

    private final Path folder;
    private final Disk disk;
    private final FolderLock held;
    private final Wal wal;
    private final Signer signer;
    private final Recovery recovery;
    private final Thread keeper;

    /// Guards all that follows.
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition work = lock.newCondition();
    private final Condition idle = lock.newCondition();
    private final Deque<byte[]> pending;
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
    private boolean closing;
    private volatile @Nullable Throwable failure;
    private long dueSince;
    private boolean due;
    private boolean unsigned;
    private long unsignedSince;

    private Log(Path folder, SigningKey key, List<VerifyingKey> earlier, Disk disk, FolderLock held)
            throws IOException {
        this.folder = folder;
        this.disk = disk;
        this.held = held;
        this.wal = new Wal(folder);
        var opening = new Opening(folder, disk, key.name());
        this.recovery = opening.recovery;
        this.pending = opening.pending;
        this.length = opening.length;
        this.filling = batch(opening.segment, length == 0, new byte[ROOM]);
        this.writing = filling;
        this.next = opening.tree.size() + pending.size();
        this.durable = next;
        this.signer = new Signer(folder, disk, key, earlier, opening);
        this.unsigned = !pending.isEmpty();
        this.unsignedSince = System.nanoTime();
        this.keeper = Thread.ofPlatform().name("writ-log").daemon().unstarted(this::keep);
    }

    /// Opens a log, or begins one, under the name of the key. Call it from a thread with all its
    /// rights: one is made here.
    ///
    /// @param earlier keys that may have signed it before
    /// @param patience how long to wait while another has it open
    /// @throws LogException if it is open elsewhere, cannot be written, or is not what was signed
    public static Log open(
            Path folder, SigningKey key, List<VerifyingKey> earlier, Duration patience) {
        return open(folder, key, earlier, patience, new Disk());
    }

    /// Opens a log that nobody else should have open, and that only this key has signed.
    public static Log open(Path folder, SigningKey key) {
        return open(folder, key, List.of(), Duration.ZERO);
    }

    static Log open(
            Path folder, SigningKey key, List<VerifyingKey> earlier, Duration patience, Disk disk) {
        try {
            ownFolder(folder);
            ownFolder(folder.resolve("wal"));
            var held = FolderLock.take(folder, patience);
            try {
                var log = new Log(folder, key, earlier, disk, held);
                log.keeper.start();
                return log;
            } catch (IOException | RuntimeException | Error e) {
                held.close();
                throw e;
            }
        } catch (IOException e) {
            throw new LogException("the log `" + folder + "` cannot be opened", e);
        }
    }

    /// A link would let whoever made it choose where the log is written.
    private static void ownFolder(Path folder) throws IOException {
        if (Files.isSymbolicLink(folder)) {
            throw new IOException("`" + folder + "` is a symbolic link; a log is a folder");
        }
        WholeFile.privateFolder(folder);
    }

    /// What was found when it was opened.
    public Recovery recovery() {
        return recovery;
    }

    /// How many entries it has, also those that are not on the disk yet.
    public long size() {
        lock.lock();
        try {
            return next;
        } finally {
            lock.unlock();
        }
    }

    /// Adds an entry of at most 65,535 bytes, and says which one it is.
    ///
    /// @throws LogException if it cannot be kept; then neither is any later one
    public long append(byte[] entry, Durability durability) {
        return append(List.of(entry), durability);
    }

    /// Adds several, one behind the other, and says which one the first is.
    public long append(List<byte[]> entries, Durability durability) {
        for (var entry : entries) {
            if (entry.length > Tiles.LONGEST_ENTRY) {
                throw new LogException("an entry has at most 65535 bytes, not " + entry.length);
            }
        }
        long index;
        boolean crowded;
        boolean wait;
        Batch batch;
        lock.lock();
        try {
            refuseBroken();
            index = next;
            batch = filling;
            for (var entry : entries) {
                batch.add(next++, durable, entry);
                pending.add(entry.clone());
            }
            crowded = pending.size() > MOST_PENDING;
            wait = durability == Durability.BEFORE_EFFECT || batch.length() > LARGE_BATCH;
            wake(wait);
            if (wait) {
                writeOrJoin(batch);
            }
        } finally {
            lock.unlock();
        }
        if (wait) {
            await(batch);
        }
        if (crowded) {
            hash();
        }
        return index;
    }

    /// Lets the keeper know what it has to do, if it may not know.
    private void wake(boolean written) {
        if (!unsigned) {
            unsigned = true;
            unsignedSince = System.nanoTime();
            work.signal();
        } else if (pending.size() % TILES_EVERY == 0) {
            work.signal();
        }
        if (!written && !due) {
            due = true;
            dueSince = System.nanoTime();
            work.signal();
        }
    }

    /// Writes what there is, or waits for the end of what is being written. The lock is held.
    private void writeOrJoin(Batch batch) {
        if (busy) {
            batch.join();
        } else {
            writeBatch();
        }
    }

    /// Returns when `batch` is on the disk. The lock is not held.
    private void await(Batch batch) {
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

    /// Returns when the first `count` entries are on the disk. Holds the lock, but not while it
    /// waits or writes.
    private void writeUpTo(long count) {
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
        due = false;
        filling =
                full
                        ? batch(new Segment(disk.random(), end, disk.boot()), true, room)
                        : batch(batch.segment, false, room);
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
            spare = batch.bytes().length > LARGE_BATCH ? null : batch.bytes();
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

    private Batch batch(Segment segment, boolean opens, byte[] room) {
        return new Batch(segment, opens, room);
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

    private void fail(Throwable problem) {
        if (failure == null) {
            failure = problem;
        }
        for (var batch : List.of(writing, filling)) {
            batch.end(false);
            batch.wake();
        }
        work.signalAll();
    }

    private void refuseBroken() {
        var why = failure;
        if (why != null) {
            throw new LogException(stopped("could not be written"), why);
        }
        if (closing) {
            throw new LogException("the log `" + folder + "` is closed");
        }
    }

    /// Signs all entries so far.
    ///
    /// @throws LogException if that cannot be done, or if the last checkpoint that is there was not
    /// signed by a key of this log
    public Checkpoint sign() {
        lock.lock();
        try {
            refuseBroken();
            unsigned = false;
            writeUpTo(next);
        } finally {
            lock.unlock();
        }
        try {
            synchronized (signer) {
                hash();
                return signer.sign();
            }
        } catch (IOException | RuntimeException e) {
            throw broken(e);
        }
    }

    /// Takes entries that are on the disk into the tree.
    private void hash() {
        try {
            synchronized (signer) {
                for (var some = take(); !some.isEmpty(); some = take()) {
                    for (var entry : some) {
                        signer.add(entry);
                    }
                }
            }
        } catch (IOException | RuntimeException e) {
            throw broken(e);
        }
    }

    private Deque<byte[]> take() {
        var some = new ArrayDeque<byte[]>();
        lock.lock();
        try {
            refuseBroken(); // also if it was closed meanwhile: it may be another's by now
            long ready = durable - (next - pending.size());
            for (int i = 0; i < Math.min(ready, TILES_EVERY); i++) {
                some.add(pending.remove());
            }
            return some;
        } finally {
            lock.unlock();
        }
    }

    private LogException broken(Exception e) {
        lock.lock();
        try {
            fail(e);
        } finally {
            lock.unlock();
        }
        return e instanceof LogException known
                ? known
                : new LogException(stopped("cannot be signed"), e);
    }

    private String stopped(String why) {
        return "the log `"
                + folder
                + "` "
                + why
                + ", so nothing more can be recorded in it; free the disk or repair it, and open the"
                + " log again";
    }

    /// The log's own thread.
    private void keep() {
        lock.lock();
        try {
            while (!closing && failure == null) {
                long now = System.nanoTime();
                long dueIn = due ? dueSince + SOON - now : Long.MAX_VALUE;
                long ready = durable - (next - pending.size());
                long signIn = unsigned ? unsignedSince + SIGNED_EVERY - now : Long.MAX_VALUE;
                if (dueIn <= 0) {
                    writeUpTo(next);
                } else if (signIn <= 0) {
                    lock.unlock();
                    try {
                        sign();
                    } finally {
                        lock.lock();
                    }
                } else if (ready >= TILES_EVERY) {
                    lock.unlock();
                    try {
                        hash();
                    } finally {
                        lock.lock();
                    }
                } else {
                    work.awaitNanos(Math.min(dueIn, signIn));
                }
            }
        } catch (LogException e) {
            // Whoever appends next is told.
        } catch (InterruptedException | RuntimeException | Error e) {
            fail(e); // nobody has a reason to interrupt it
        } finally {
            lock.unlock();
        }
    }

    /// Has all entries on the disk, and lets others open the log. It does not sign.
    ///
    /// @throws LogException if entries that were to be there soon could not be written
    @Override
    public void close() {
        lock.lock();
        try {
            if (closing) {
                return;
            }
            writeUpTo(next);
        } finally {
            while (busy) {
                idle.awaitUninterruptibly();
            }
            closing = true;
            work.signalAll();
            lock.unlock();
            release();
        }
    }

    private void release() {
        boolean interrupted = false;
        while (keeper.isAlive()) {
            try {
                keeper.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        try {
            synchronized (signer) { // whoever signs comes to an end
                try (held) {
                    var out = tape;
                    if (out != null) {
                        out.close();
                    }
                    if (failure == null) {
                        wal.closed();
                    }
                }
            }
        } catch (IOException e) {
            throw new LogException("the log `" + folder + "` cannot be closed", e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
