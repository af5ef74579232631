// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import dev.writ.trust.file.WholeFile;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/// Reads the entries of a log in order, also while it is written, and also those that are not
/// signed yet. It verifies nothing.
public final class LogReader {
    private static final int CHUNK = 1 << 20;

    private final Path log;
    private final Tiles tiles;
    private final Wal wal;
    private final Deque<byte[]> ready = new ArrayDeque<>();
    private long index;

    /// Where the reading of the write-ahead log has come to: a segment, a place in it, and the
    /// entry that is there.
    private long segment = -1;

    private long place;
    private long at;

    /// @param from the first entry to give
    public LogReader(Path log, long from) {
        this.log = log;
        this.tiles = new Tiles(log);
        this.wal = new Wal(log);
        this.index = from;
    }

    /// Which entry [#next] gives.
    public long index() {
        return index;
    }

    /// The next entry, or null if there is none yet: ask again later.
    ///
    /// @throws LogException if it cannot be read
    public byte @Nullable [] next() {
        try {
            if (ready.isEmpty() && !fromFullTile() && !fromWal() && !fromFullTile()) {
                fromPartialTile();
            }
        } catch (IOException e) {
            throw new LogException("the log `" + log + "` cannot be read", e);
        }
        byte[] entry = ready.poll();
        if (entry != null) {
            index++;
        }
        return entry;
    }

    private boolean fromFullTile() throws IOException {
        long tile = index / Tiles.WIDTH;
        byte[] bytes = WholeFile.read(tiles.path(Tiles.ENTRIES, tile, Tiles.WIDTH), Tiles.LARGEST);
        return bytes != null && take(bytes, Tiles.WIDTH);
    }

    private boolean fromPartialTile() throws IOException {
        long tile = index / Tiles.WIDTH;
        int width = tiles.widest(tile);
        byte[] bytes = width > index % Tiles.WIDTH ? tiles.entries(tile, width) : null;
        return bytes != null && take(bytes, width);
    }

    private boolean take(byte[] bytes, int width) {
        var bundle = Bundle.read(bytes, width);
        if (bundle == null) {
            throw new LogException("the tile with entry " + index + " is damaged", index);
        }
        for (int i = (int) (index % Tiles.WIDTH); i < width; i++) {
            ready.add(bundle.entry(i));
        }
        return true;
    }

    private boolean fromWal() throws IOException {
        long first = -1;
        for (long each : wal.segments()) {
            first = each <= index ? each : first;
        }
        if (first < 0) {
            return false;
        }
        try (var file = new RandomAccessFile(wal.path(first).toFile(), "r")) {
            var head = Segment.read(read(file, 0, Segment.HEAD));
            if (head == null) {
                return false;
            }
            if (first != segment) {
                segment = first;
                place = Segment.HEAD;
                at = first;
            }
            while (ready.isEmpty() && advance(file, head)) {}
        } catch (FileNotFoundException e) {
            return false; // its entries are in tiles by now
        }
        return !ready.isEmpty();
    }

    /// Takes what whole records the next bytes have; false if there is none.
    private boolean advance(RandomAccessFile file, Segment head) throws IOException {
        byte[] bytes = read(file, place, CHUNK);
        int used = 0;
        while (true) {
            byte[] entry = head.entry(bytes, used, at);
            if (entry == null) {
                break;
            }
            if (at >= index) {
                ready.add(entry);
            }
            at++;
            used += Segment.BEFORE + entry.length;
        }
        place += used;
        return used > 0;
    }

    private static byte[] read(RandomAccessFile file, long from, int most) throws IOException {
        byte[] bytes = new byte[(int) Math.max(0, Math.min(most, file.length() - from))];
        file.seek(from);
        file.readFully(bytes);
        return bytes;
    }
}
