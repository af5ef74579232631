// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.trust.file.WholeFile;
import dev.writ.trust.key.SigningKey;
import dev.writ.trust.key.VerifyingKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The tree of a log and its checkpoints. Used by one thread at a time.
final class Signer {
    private final Path folder;
    private final Disk disk;
    private final SigningKey key;
    private final List<VerifyingKey> trusted;
    private final Tree tree;
    private final Wal wal;
    private final Tiles tiles;
    private final List<Long> segments;
    private @Nullable Checkpoint head;
    private boolean believed;

    Signer(Path folder, Disk disk, SigningKey key, List<VerifyingKey> earlier, Opening opening) {
        this.folder = folder;
        this.disk = disk;
        this.key = key;
        this.trusted = new ArrayList<>(earlier);
        this.trusted.add(key.verifying());
        this.tree = opening.tree;
        this.wal = new Wal(folder);
        this.tiles = new Tiles(folder);
        this.segments = opening.segments;
        this.head = opening.head;
    }

    void add(byte[] entry) throws IOException {
        tree.add(entry);
    }

    /// Says that a segment is on the disk. Comes from whoever writes, at any time.
    void segmentBegun(long first) {
        synchronized (segments) {
            segments.add(first);
        }
    }

    /// The checkpoint of all entries in the tree, which are on the disk.
    Checkpoint sign() throws IOException {
        var last = head;
        if (last != null && !believed) {
            // Otherwise a forged head would be made good by what is signed on top of it. Not when
            // the log is opened: a start that signs nothing should not wait for this.
            Checkpoint.open(last.note().getBytes(UTF_8), trusted);
            believed = true;
        }
        if (last != null && last.size() == tree.size()) {
            return last;
        }
        tree.flush();
        var checkpoint = Checkpoint.sign(tree.size(), tree.root(), key);
        Checkpoints.add(folder, checkpoint);
        byte[] note = checkpoint.note().getBytes(UTF_8);
        disk.replace(folder.resolve("checkpoint"), note, note.length, true);
        head = checkpoint;
        believed = true;
        trim();
        return checkpoint;
    }

    /// Removes segments whose entries are all in full tiles, once those and the checkpoint are on
    /// the disk. What comes after them must begin with entries whose tile can be made from there,
    /// or is full.
    private void trim() throws IOException {
        long full = tree.size() / Tiles.WIDTH;
        while (true) {
            long first;
            long end;
            synchronized (segments) {
                if (segments.size() < 2) {
                    return;
                }
                first = segments.get(0);
                end = segments.get(1);
            }
            long tilesEnd = (end + Tiles.WIDTH - 1) / Tiles.WIDTH;
            if (tilesEnd > full) {
                return;
            }
            sync(first, tilesEnd);
            Files.delete(wal.path(first));
            synchronized (segments) {
                segments.removeFirst();
            }
        }
    }

    private void sync(long first, long tilesEnd) throws IOException {
        var folders = new LinkedHashSet<Path>();
        for (long tile = first / Tiles.WIDTH; tile < tilesEnd; tile++) {
            sync(tiles.path(Tiles.ENTRIES, tile, Tiles.WIDTH), folders);
        }
        long from = first / Tiles.WIDTH;
        long to = tilesEnd;
        for (int level = 0; to > 0; level++) {
            for (long tile = from; tile < to; tile++) {
                sync(tiles.path(Integer.toString(level), tile, Tiles.WIDTH), folders);
            }
            from /= Tiles.WIDTH;
            to /= Tiles.WIDTH;
        }
        for (var each : folders) {
            WholeFile.syncFolder(each);
        }
        WholeFile.syncFolder(folder);
    }

    /// Has a file on the disk, and remembers the folders that name it.
    private void sync(Path file, Set<Path> folders) throws IOException {
        WholeFile.sync(file);
        for (var above = file.getParent();
                above != null && !above.equals(folder);
                above = above.getParent()) {
            folders.add(above);
        }
    }
}
