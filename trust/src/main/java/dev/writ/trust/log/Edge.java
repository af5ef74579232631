// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The right edge of a tree: of each level the tile that is not full yet. It is all that is needed
/// to add entries and to know the root.
final class Edge {
    /// Hears of each tile that has become full.
    interface Listener {
        void full(int level, long index, byte[] hashes) throws IOException;
    }

    private static final class Row {
        final byte[] hashes = new byte[Tiles.WIDTH * Hasher.LENGTH];
        int count;
    }

    private final Hasher hasher;
    private final List<Row> rows = new ArrayList<>();
    private long size;

    Edge(Hasher hasher) {
        this.hasher = hasher;
    }

    /// Reads the edge of the tree's first `size` entries. A tile that is not full may be missing:
    /// what is in it follows from those below it.
    ///
    /// @return null if tiles are missing
    static @Nullable Edge load(Tiles tiles, long size, Hasher hasher) throws IOException {
        var edge = new Edge(hasher);
        edge.size = size;
        long above = size;
        for (int level = 0; above > 0; level++) {
            var row = new Row();
            row.count = (int) (above % Tiles.WIDTH);
            long index = above / Tiles.WIDTH;
            byte[] hashes = row.count == 0 ? new byte[0] : tiles.hashes(level, index, row.count);
            if (hashes == null) {
                hashes = below(tiles, level, index, row.count, hasher);
            }
            if (hashes == null) {
                return null;
            }
            System.arraycopy(hashes, 0, row.hashes, 0, hashes.length);
            edge.rows.add(row);
            above = index;
        }
        return edge;
    }

    private static byte @Nullable [] below(
            Tiles tiles, int level, long index, int count, Hasher hasher) throws IOException {
        if (level == 0) {
            return null;
        }
        byte[] hashes = new byte[count * Hasher.LENGTH];
        for (int i = 0; i < count; i++) {
            byte[] tile = tiles.hashes(level - 1, index * Tiles.WIDTH + i, Tiles.WIDTH);
            if (tile == null) {
                tile = below(tiles, level - 1, index * Tiles.WIDTH + i, Tiles.WIDTH, hasher);
            }
            if (tile == null) {
                return null;
            }
            byte[] root = hasher.perfect(tile, 0, Tiles.WIDTH);
            System.arraycopy(root, 0, hashes, i * Hasher.LENGTH, Hasher.LENGTH);
        }
        return hashes;
    }

    long size() {
        return size;
    }

    /// How many levels have a tile, full or not.
    int levels() {
        return rows.size();
    }

    /// How many hashes the last tile of a level has: 0 if it would be a new one.
    int width(int level) {
        return level < rows.size() ? rows.get(level).count : 0;
    }

    /// The hashes of a level's last tile; the first [#width] of them count.
    byte[] hashes(int level) {
        return rows.get(level).hashes;
    }

    /// Adds the hash of one more entry.
    void add(byte[] hashes, int from, Listener listener) throws IOException {
        size++;
        long above = size;
        byte[] hash = hashes;
        int at = from;
        for (int level = 0; ; level++) {
            if (level == rows.size()) {
                rows.add(new Row());
            }
            var row = rows.get(level);
            System.arraycopy(hash, at, row.hashes, row.count * Hasher.LENGTH, Hasher.LENGTH);
            row.count++;
            if (row.count < Tiles.WIDTH) {
                return;
            }
            above /= Tiles.WIDTH;
            listener.full(level, above - 1, row.hashes);
            hash = hasher.perfect(row.hashes, 0, Tiles.WIDTH);
            at = 0;
            row.count = 0;
        }
    }

    byte[] root() {
        byte[] root = null;
        for (var row : rows) {
            for (int bit = 1; bit <= row.count; bit *= 2) {
                if ((row.count & bit) != 0) {
                    int first = row.count / (2 * bit) * (2 * bit);
                    byte[] part = hasher.perfect(row.hashes, first, bit);
                    root = root == null ? part : hasher.node(part, root);
                }
            }
        }
        return root == null ? hasher.empty() : root;
    }
}
