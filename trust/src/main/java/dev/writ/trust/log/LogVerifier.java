// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.trust.file.WholeFile;
import dev.writ.trust.key.VerifyingKey;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/// Checks a log, or a copy of one: nothing in it is believed but what follows from a signature. It
/// takes one tile at a time, so that the size of the log does not matter.
public final class LogVerifier {
    /// What was found.
    ///
    /// @param checkpoint all entries below its size are as they were signed
    /// @param unsigned entries behind it, which anybody who can write the folder may have made
    public record Verified(Checkpoint checkpoint, long unsigned) {}

    private final Path log;
    private final Collection<VerifyingKey> trusted;
    private final Tiles tiles;
    private final Hasher hasher = new Hasher();
    private final Edge edge = new Edge(hasher);
    private @Nullable Checkpoint past;

    private LogVerifier(Path log, Collection<VerifyingKey> trusted) {
        this.log = log;
        this.trusted = trusted;
        this.tiles = new Tiles(log);
    }

    /// Checks all of a log.
    ///
    /// @throws LogException that says what is wrong, and at which entry
    public static Verified verify(Path log, Collection<VerifyingKey> trusted) {
        try {
            return new LogVerifier(log, trusted).verify();
        } catch (IOException e) {
            throw new LogException("the log `" + log + "` cannot be read", e);
        }
    }

    /// The checkpoint of a log, its signature checked and nothing else.
    ///
    /// @throws LogException if there is none, or it is not signed by a trusted key
    public static Checkpoint checkpoint(Path log, Collection<VerifyingKey> trusted) {
        try {
            byte[] note = WholeFile.read(log.resolve("checkpoint"), 10_000);
            if (note == null) {
                throw new LogException("there is no signed checkpoint in `" + log + "`");
            }
            return Checkpoint.open(note, trusted);
        } catch (IOException e) {
            throw new LogException("the log `" + log + "` cannot be read", e);
        }
    }

    private Verified verify() throws IOException {
        var checkpoint = head();
        try (var list = Checkpoints.read(log)) {
            past = list == null ? null : list.next();
            comparePast(list);
            for (long tile = 0; edge.size() < checkpoint.size(); tile++) {
                long left = checkpoint.size() - edge.size();
                verify(tile, (int) Math.min(Tiles.WIDTH, left), list);
            }
            if (past != null) {
                throw new LogException(
                        past.size()
                                + " entries were signed before, but the checkpoint now says "
                                + checkpoint.size()
                                + ": an older one was put back",
                        checkpoint.size());
            }
        }
        compareEdge();
        if (!checkpoint.hasRoot(edge.root())) {
            throw new LogException(
                    "the entries and tiles agree, but they are not the "
                            + checkpoint.size()
                            + " entries that were signed");
        }
        var tail = new LogReader(log, checkpoint.size());
        while (tail.next() != null) {}
        return new Verified(checkpoint, tail.index() - checkpoint.size());
    }

    /// The latest that was signed. Whoever signs adds it to the list first: killed in between, the
    /// list is one ahead.
    private Checkpoint head() throws IOException {
        var checkpoint = checkpoint(log, trusted);
        var last = Checkpoints.last(log);
        if (last == null || last.size() <= checkpoint.size()) {
            return checkpoint;
        }
        try {
            return Checkpoint.open(last.note().getBytes(UTF_8), trusted);
        } catch (LogException e) {
            return checkpoint; // not what anybody has signed, as will be found
        }
    }

    private void verify(long tile, int width, @Nullable Checkpoints list) throws IOException {
        long first = tile * Tiles.WIDTH;
        byte[] bytes = tiles.entries(tile, width);
        if (bytes == null) {
            throw new LogException("entries from " + first + " on are missing", first);
        }
        var bundle = Bundle.read(bytes, width);
        if (bundle == null || (width == Tiles.WIDTH && bundle.end() != bytes.length)) {
            throw new LogException("the tile with entry " + first + " is damaged", first);
        }
        byte[] stored = tiles.hashes(0, tile, width);
        byte[] hash = new byte[Hasher.LENGTH];
        for (int i = 0; i < width; i++) {
            hasher.leaf(bytes, bundle.starts()[i], bundle.length(i), hash, 0);
            if (stored != null && !same(hash, stored, i)) {
                throw new LogException(
                        "entry " + (first + i) + " is not what was hashed", first + i);
            }
            edge.add(hash, 0, this::compare);
            comparePast(list);
        }
        if (stored == null) {
            throw new LogException("the hashes of entries from " + first + " are missing", first);
        }
    }

    /// Looks whether what was signed when the log had this size has the root it has now.
    private void comparePast(@Nullable Checkpoints list) throws IOException {
        while (list != null && past != null && past.size() <= edge.size()) {
            if (past.size() < edge.size()) {
                throw new LogException(
                        "the list of checkpoints goes back to "
                                + past.size()
                                + " entries after more had been signed",
                        past.size());
            }
            if (!past.hasRoot(edge.root())) {
                throw new LogException(
                        "one of the first "
                                + past.size()
                                + " entries is not what it was when they were signed");
            }
            past = list.next();
        }
    }

    /// Compares a full tile above the lowest level with what follows from those below it.
    private void compare(int level, long index, byte[] hashes) throws IOException {
        if (level > 0) {
            compare(level, index, Tiles.WIDTH, hashes);
        }
    }

    private void compareEdge() throws IOException {
        long above = edge.size() / Tiles.WIDTH;
        for (int level = 1; level < edge.levels(); level++) {
            if (edge.width(level) > 0) {
                compare(level, above / Tiles.WIDTH, edge.width(level), edge.hashes(level));
            }
            above /= Tiles.WIDTH;
        }
    }

    private void compare(int level, long index, int width, byte[] hashes) throws IOException {
        long each = 1L << (8 * level);
        byte[] stored = tiles.hashes(level, index, width);
        if (stored == null) {
            throw new LogException(
                    "a tile of level " + level + " is missing", index * Tiles.WIDTH * each);
        }
        for (int i = 0; i < width; i++) {
            if (!same(Arrays.copyOfRange(hashes, i * 32, i * 32 + 32), stored, i)) {
                long first = (index * Tiles.WIDTH + i) * each;
                throw new LogException(
                        "one of the entries "
                                + first
                                + " to "
                                + (first + each - 1)
                                + " is not what was hashed",
                        first);
            }
        }
    }

    private static boolean same(byte[] hash, byte[] stored, int i) {
        int at = i * Hasher.LENGTH;
        return Arrays.equals(hash, 0, Hasher.LENGTH, stored, at, at + Hasher.LENGTH);
    }
}
