// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import dev.writ.trust.file.WholeFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Finds out where a log ends, whatever happened to its last writer.
///
/// What was signed must be there, or the log is refused and left as it is. What was acknowledged is
/// in the write-ahead log. What is neither may be cut off in the middle, and is dropped.
final class Opening {
    private final Path folder;
    private final Disk disk;
    private final Wal wal;
    private final Tiles tiles;
    private final Hasher hasher = new Hasher();
    private final byte[] boot;

    final @Nullable Checkpoint head;
    final Tree tree;

    /// Entries that are on the disk and not yet in the tree.
    final Deque<byte[]> pending = new ArrayDeque<>();

    /// First indexes of the segments.
    final List<Long> segments;

    final Segment segment;

    /// How long the last segment is: nothing, if it is yet to be begun.
    final long length;

    final Recovery recovery;

    Opening(Path folder, Disk disk, String origin) throws IOException {
        this.folder = folder;
        this.disk = disk;
        this.wal = new Wal(folder);
        this.tiles = new Tiles(folder);
        this.boot = disk.boot();
        this.head = head(folder, origin);
        boolean closed = wal.isClosed();
        this.segments = new ArrayList<>(wal.segments());
        long signed = head == null ? 0 : head.size();
        long first = segments.isEmpty() ? signed : segments.getFirst();
        if (first > signed) {
            throw refusal(
                    "entries "
                            + signed
                            + " to "
                            + (first - 1)
                            + " are neither signed nor in the"
                            + " write-ahead log",
                    signed);
        }
        var scans = scans(first);
        var last = scans.isEmpty() ? null : scans.getLast();
        long next = last == null ? signed : last.next();
        if (next < signed) {
            throw refusal(signed + " entries were signed, but only " + next + " are there", next);
        }
        boolean restarted = last != null && !last.segment().sameBoot(boot);
        this.tree = tree(signed, scans, restarted);
        for (var scan : scans) {
            for (int i = 0; i < scan.entries().size(); i++) {
                if (scan.segment().first() + i >= signed) {
                    pending.add(scan.entries().get(i));
                }
            }
        }
        long dropped = last == null ? 0 : last.rest();
        this.recovery = new Recovery(pending.size(), dropped);
        var usable = last == null ? null : last.segment();
        if (last != null && (restarted || dropped > 0 || !closed)) {
            usable = rewrite(last);
        }
        boolean fits = last != null && last.end() <= Wal.SHORT;
        this.segment = usable != null && fits ? usable : new Segment(disk.random(), next, boot);
        this.length = last != null && fits ? last.end() : 0;
    }

    /// The latest checkpoint, by the file of that name or by the list of all. The list is written
    /// first, so it may be ahead; if it is, the other was put back.
    private static @Nullable Checkpoint head(Path folder, String origin) throws IOException {
        byte[] note = WholeFile.read(folder.resolve("checkpoint"), 10_000);
        var head = note == null ? null : Checkpoint.unverified(note);
        var listed = Checkpoints.last(folder);
        if (listed != null && (head == null || listed.size() > head.size())) {
            head = listed;
        }
        if (head != null && !head.origin().equals(origin)) {
            throw new LogException(
                    "`"
                            + folder
                            + "` is the log of `"
                            + head.origin()
                            + "`, not of `"
                            + origin
                            + "`; give each its own folder");
        }
        return head;
    }

    private List<Segment.Scan> scans(long first) throws IOException {
        var scans = new ArrayList<Segment.Scan>();
        long expected = first;
        for (int i = 0; i < segments.size(); i++) {
            boolean last = i == segments.size() - 1;
            byte[] bytes = wal.read(segments.get(i));
            var scan = Segment.scan(bytes);
            if (last && (scan == null || scan.entries().isEmpty()) && i > 0) {
                // It was begun, and nothing in it was acknowledged.
                if (scan != null && scan.damaged()) {
                    throw refusal("entries that were acknowledged are damaged", expected);
                }
                Files.delete(wal.path(segments.removeLast()));
                break;
            }
            if (scan == null && last) {
                // The same, and there is no other.
                Files.delete(wal.path(segments.removeLast()));
                break;
            }
            if (scan == null || scan.segment().first() != expected) {
                throw refusal("`" + wal.path(segments.get(i)) + "` is damaged", expected);
            }
            if (scan.damaged() || (!last && scan.rest() > 0)) {
                throw refusal("an entry that was acknowledged is damaged", scan.next());
            }
            scans.add(scan);
            expected = scan.next();
        }
        return scans;
    }

    private Tree tree(long signed, List<Segment.Scan> scans, boolean restarted) throws IOException {
        if (!restarted) {
            var edge = Edge.load(tiles, signed, hasher);
            if (edge != null && (head == null || head.hasRoot(edge.root()))) {
                var tree = new Tree(disk, tiles, edge, hasher);
                tree.foundPartialTiles();
                return tree;
            }
        }
        return rebuilt(signed, scans);
    }

    /// Writes the tiles again that may not have reached the disk: those of the entries that are
    /// still in the write-ahead log.
    private Tree rebuilt(long signed, List<Segment.Scan> scans) throws IOException {
        long first = scans.isEmpty() ? signed : scans.getFirst().segment().first();
        long from = Math.min((first + Tiles.WIDTH - 1) / Tiles.WIDTH * Tiles.WIDTH, signed);
        var edge = Edge.load(tiles, from, hasher);
        if (edge == null) {
            throw refusal("tiles before entry " + from + " are missing", -1);
        }
        var tree = new Tree(disk, tiles, edge, hasher);
        for (var scan : scans) {
            for (int i = 0; i < scan.entries().size(); i++) {
                long index = scan.segment().first() + i;
                if (index >= from && index < signed) {
                    tree.add(scan.entries().get(i));
                }
            }
        }
        if (head != null && !head.hasRoot(tree.root())) {
            throw refusal(
                    "the entries that are there do not have the root that was signed for "
                            + signed
                            + " entries",
                    -1);
        }
        tree.flush();
        return tree;
    }

    /// Writes what is good of the last segment to a new file. The kernel may hold on to bytes that
    /// it failed to write and never tries again.
    private Segment rewrite(Segment.Scan last) throws IOException {
        var fresh = new Segment(disk.random(), last.segment().first(), boot);
        var out = new ByteArrayOutputStream(last.end());
        out.write(fresh.head());
        long index = fresh.first();
        for (var entry : last.entries()) {
            byte[] record = new byte[Segment.BEFORE + entry.length];
            fresh.write(index, Math.min(index, last.next()), entry, record, 0);
            out.write(record);
            index++;
        }
        byte[] bytes = out.toByteArray();
        disk.replace(wal.path(fresh.first()), bytes, bytes.length, true);
        WholeFile.syncFolder(wal.folder());
        return fresh;
    }

    private LogException refusal(String why, long entry) {
        return new LogException(
                "the log `"
                        + folder
                        + "` is not what was written: "
                        + why
                        + "; it is left as it is: keep a copy as evidence, move it away, and a new"
                        + " one will be begun",
                entry);
    }
}
