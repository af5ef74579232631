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

/// A log that is being written: by this object alone, from any number of threads.
///
/// An entry goes to the write-ahead log, and is acknowledged when it is on the disk there. One
/// thread of the log's own, made when it is opened, sees to the rest: entries that are due soon,
/// tiles, and a checkpoint once a second.
///
/// After a failure nothing is accepted any more: the kernel may have forgotten what it did not
/// write. Opening the log again finds out what is really there.
public final class Log implements AutoCloseable {
    private static final long SOON = MILLISECONDS.toNanos(20);
    private static final long SIGNED_EVERY = SECONDS.toNanos(1);
    private static final int TILES_EVERY = 8192;
    private static final int MOST_PENDING = 64 * TILES_EVERY;

    private final Path folder;
    private final FolderLock held;
    private final Signer signer;
    private final Recovery recovery;
    private final Thread keeper;

    /// Guards all that follows.
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition work = lock.newCondition();
    private final WalWriter writer;
    private final Deque<byte[]> pending;
    private boolean closing;
    private boolean unsigned;
    private long unsignedSince;

    private Log(Path folder, SigningKey key, List<VerifyingKey> earlier, Disk disk, FolderLock held)
            throws IOException {
        this.folder = folder;
        this.held = held;
        var opening = new Opening(folder, disk, key.name());
        this.recovery = opening.recovery;
        this.pending = opening.pending;
        this.signer = new Signer(folder, disk, key, earlier, opening);
        this.writer = new WalWriter(folder, disk, opening, signer, lock);
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
            return writer.next();
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
            index = writer.next();
            batch = writer.filling();
            for (var entry : entries) {
                writer.add(entry);
                pending.add(entry.clone());
            }
            crowded = pending.size() > MOST_PENDING;
            wait = durability == Durability.BEFORE_EFFECT || batch.isLarge();
            wake(batch, wait);
            if (wait) {
                writer.writeOrJoin(batch);
            }
        } finally {
            lock.unlock();
        }
        if (wait) {
            writer.await(batch);
        }
        if (crowded) {
            hash();
        }
        return index;
    }

    /// Lets the keeper know what it has to do, if it may not know.
    private void wake(Batch batch, boolean written) {
        if (!unsigned) {
            unsigned = true;
            unsignedSince = System.nanoTime();
            work.signal();
        } else if (pending.size() % TILES_EVERY == 0) {
            work.signal();
        }
        if (!written && batch.due()) {
            work.signal();
        }
    }

    private void refuseBroken() {
        writer.refuseBroken();
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
            writer.writeUpTo(writer.next());
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
            long ready = ready();
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
            writer.fail(e);
        } finally {
            lock.unlock();
        }
        return e instanceof LogException known
                ? known
                : new LogException(writer.stopped("cannot be signed"), e);
    }

    /// How many entries on the disk are not in the tree yet.
    private long ready() {
        return writer.durable() - (writer.next() - pending.size());
    }

    /// The log's own thread.
    private void keep() {
        lock.lock();
        try {
            while (!closing && !writer.hasFailed()) {
                long dueIn = writer.filling().canWait(SOON);
                long signIn =
                        unsigned
                                ? unsignedSince + SIGNED_EVERY - System.nanoTime()
                                : Long.MAX_VALUE;
                if (dueIn <= 0) {
                    writer.writeUpTo(writer.next());
                } else if (signIn <= 0) {
                    lock.unlock();
                    try {
                        sign();
                    } finally {
                        lock.lock();
                    }
                } else if (ready() >= TILES_EVERY) {
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
            writer.fail(e); // nobody has a reason to interrupt it
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
            writer.writeUpTo(writer.next());
        } finally {
            writer.awaitIdle();
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
                    writer.close();
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
