// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.log;

import dev.writ.trust.file.WholeFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The tiles of a log as files. Nothing about them is believed: whoever reads them compares with a
/// root that was signed.
final class Tiles {
    static final int WIDTH = 256;
    static final int LONGEST_ENTRY = 65_535;
    static final String ENTRIES = "entries";
    static final int LARGEST = WIDTH * (LONGEST_ENTRY + 2);

    private final Path folder;

    Tiles(Path log) {
        this.folder = log.resolve("tile");
    }

    /// Where a tile is: `1234067` is at `x001/x234/067`, and one that is not full has its width
    /// behind it.
    Path path(String level, long index, int width) {
        var name = new StringBuilder(three(index % 1000));
        for (long left = index / 1000; left > 0; left /= 1000) {
            name.insert(0, "x" + three(left % 1000) + "/");
        }
        if (width < WIDTH) {
            name.append(".p/").append(width);
        }
        return folder.resolve(level).resolve(name.toString());
    }

    private static String three(long number) {
        return number < 10 ? "00" + number : number < 100 ? "0" + number : "" + number;
    }

    /// The first `width` hashes of a tile, or null if they are not there.
    byte @Nullable [] hashes(int level, long index, int width) throws IOException {
        byte[] bytes = first(Integer.toString(level), index, width, WIDTH * Hasher.LENGTH);
        if (bytes == null || bytes.length < width * Hasher.LENGTH) {
            return null;
        }
        return Arrays.copyOf(bytes, width * Hasher.LENGTH);
    }

    /// A tile of entries that has at least `width` of them, or null: each with its length before
    /// it.
    byte @Nullable [] entries(long index, int width) throws IOException {
        return first(ENTRIES, index, width, LARGEST);
    }

    /// The tile, or if it is not full, the narrowest that is wide enough.
    private byte @Nullable [] first(String level, long index, int width, int most)
            throws IOException {
        byte[] full = WholeFile.read(path(level, index, WIDTH), most);
        if (full != null) {
            return full;
        }
        for (int wide = width; wide < WIDTH; wide++) {
            byte[] part = WholeFile.read(path(level, index, wide), most);
            if (part != null) {
                return part;
            }
        }
        return null;
    }

    /// The width of the widest tile of entries with this index, or 0.
    int widest(long index) throws IOException {
        if (Files.exists(path(ENTRIES, index, WIDTH))) {
            return WIDTH;
        }
        for (int wide = WIDTH - 1; wide > 0; wide--) {
            if (Files.exists(path(ENTRIES, index, wide))) {
                return wide;
            }
        }
        return 0;
    }
}
