// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Hashes inside a log's tree, read from its tiles. They are not checked: who uses them ends up
/// comparing with a signed root.
final class Subtrees {
    private final Tiles tiles;
    private final Hasher hasher = new Hasher();

    Subtrees(Path log) {
        this.tiles = new Tiles(log);
    }

    /// The root of the tree of entries `from` up to `to`.
    byte[] root(long from, long to) throws IOException {
        long count = to - from;
        if (count == 0) {
            return hasher.empty();
        }
        if (Long.bitCount(count) == 1) {
            return perfect(Long.numberOfTrailingZeros(count), from / count);
        }
        long left = Long.highestOneBit(count);
        return hasher.node(root(from, from + left), root(from + left, to));
    }

    private byte[] perfect(int height, long index) throws IOException {
        int level = height / 8;
        int count = 1 << height % 8;
        long first = index * count;
        int offset = (int) (first % Tiles.WIDTH);
        byte[] hashes = tiles.hashes(level, first / Tiles.WIDTH, offset + count);
        if (hashes == null) {
            throw new IOException(
                    "`"
                            + tiles.path("" + level, first / Tiles.WIDTH, Tiles.WIDTH)
                            + "` is missing");
        }
        return hasher.perfect(hashes, offset, count);
    }

    /// The hashes that lead from an entry to the root of the first `size`.
    List<byte[]> inclusion(long index, long size) throws IOException {
        var path = new ArrayList<byte[]>();
        long from = 0;
        long to = size;
        while (to - from > 1) {
            long middle = from + Long.highestOneBit(to - from - 1);
            if (index < middle) {
                path.addFirst(root(middle, to));
                to = middle;
            } else {
                path.addFirst(root(from, middle));
                from = middle;
            }
        }
        return path;
    }

    /// The hashes that show that the first `size` entries begin with the first `old`.
    List<byte[]> consistency(long old, long size) throws IOException {
        var path = new ArrayList<byte[]>();
        if (old == 0 || old == size) {
            return path;
        }
        long from = 0;
        long to = size;
        boolean known = true;
        while (old < to) {
            long middle = from + Long.highestOneBit(to - from - 1);
            if (old <= middle) {
                path.addFirst(root(middle, to));
                to = middle;
            } else {
                path.addFirst(root(from, middle));
                from = middle;
                known = false;
            }
        }
        if (!known) {
            path.addFirst(root(from, to));
        }
        return path;
    }
}
