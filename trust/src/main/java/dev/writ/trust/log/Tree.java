// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Adds entries to the tree of a log and writes its tiles. They follow from the entries alone, so
/// nothing is lost if the machine stops before they are on the disk: they are written again.
final class Tree implements Edge.Listener {
    private final Disk disk;
    private final Tiles tiles;
    private final Hasher hasher;
    private final Edge edge;
    private final byte[] hash = new byte[Hasher.LENGTH];
    private final Map<String, Path> partial = new HashMap<>();
    private byte @Nullable [] bundle;
    private int bundled;
    private @Nullable Path lastFolder;

    Tree(Disk disk, Tiles tiles, Edge edge, Hasher hasher) {
        this.disk = disk;
        this.tiles = tiles;
        this.edge = edge;
        this.hasher = hasher;
    }

    /// Says that the tiles which are not full are there, as they should be.
    void foundPartialTiles() {
        long above = edge.size();
        note(Tiles.ENTRIES, above);
        for (int level = 0; above > 0; level++) {
            note(Integer.toString(level), above);
            above /= Tiles.WIDTH;
        }
    }

    private void note(String level, long size) {
        int width = (int) (size % Tiles.WIDTH);
        if (width > 0) {
            partial.put(level, tiles.path(level, size / Tiles.WIDTH, width));
        }
    }

    long size() {
        return edge.size();
    }

    byte[] root() {
        return edge.root();
    }

    void add(byte[] entry) throws IOException {
        byte[] bytes = bundle();
        if (bundled + 2 + entry.length > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, bundled + 2 + entry.length));
            bundle = bytes;
        }
        bytes[bundled++] = (byte) (entry.length >> 8);
        bytes[bundled++] = (byte) entry.length;
        System.arraycopy(entry, 0, bytes, bundled, entry.length);
        bundled += entry.length;
        hasher.leaf(entry, 0, entry.length, hash, 0);
        edge.add(hash, 0, this);
    }

    /// The entries of the last tile. They are read when the first one is added behind them.
    private byte[] bundle() throws IOException {
        if (bundle == null) {
            int width = edge.width(0);
            byte[] before = new byte[0];
            if (width > 0) {
                byte[] found = tiles.entries(edge.size() / Tiles.WIDTH, width);
                var read = found == null ? null : Bundle.read(found, width);
                if (read == null) {
                    throw new IOException("the last tile of entries is missing or damaged");
                }
                before = Arrays.copyOf(read.bytes(), read.end());
            }
            bundle = Arrays.copyOf(before, before.length + (64 << 10));
            bundled = before.length;
        }
        return bundle;
    }

    @Override
    public void full(int level, long index, byte[] hashes) throws IOException {
        if (level == 0) {
            write(Tiles.ENTRIES, index, Tiles.WIDTH, bundle(), bundled);
            bundled = 0;
        }
        write(Integer.toString(level), index, Tiles.WIDTH, hashes, hashes.length);
    }

    /// Writes the tiles that are not full.
    void flush() throws IOException {
        long above = edge.size();
        if (edge.width(0) > 0) {
            write(Tiles.ENTRIES, above / Tiles.WIDTH, edge.width(0), bundle(), bundled);
        }
        for (int level = 0; level < edge.levels(); level++) {
            int width = edge.width(level);
            if (width > 0) {
                var path = tiles.path(Integer.toString(level), above / Tiles.WIDTH, width);
                if (!path.equals(partial.get(Integer.toString(level)))) {
                    write(
                            Integer.toString(level),
                            above / Tiles.WIDTH,
                            width,
                            edge.hashes(level),
                            width * Hasher.LENGTH);
                }
            }
            above /= Tiles.WIDTH;
        }
    }

    private void write(String level, long index, int width, byte[] bytes, int length)
            throws IOException {
        var path = tiles.path(level, index, width);
        var folder = path.getParent();
        if (folder != null && !folder.equals(lastFolder)) {
            Files.createDirectories(folder);
            lastFolder = folder;
        }
        disk.replace(path, bytes, length, false);
        // A narrower tile is not needed where there is a wider one.
        var before = width < Tiles.WIDTH ? partial.put(level, path) : partial.remove(level);
        if (width == Tiles.WIDTH) {
            lastFolder = removeAll(path.resolveSibling(path.getFileName() + ".p"), lastFolder);
        } else if (before != null && !before.equals(path)) {
            Files.deleteIfExists(before);
        }
    }

    /// Removes a folder of tiles that were not full, also those of a writer that was killed.
    private static @Nullable Path removeAll(Path folder, @Nullable Path last) throws IOException {
        if (!Files.isDirectory(folder)) {
            return last;
        }
        try (var paths = Files.newDirectoryStream(folder)) {
            for (var each : paths) {
                Files.delete(each);
            }
        }
        Files.delete(folder);
        return null;
    }
}
